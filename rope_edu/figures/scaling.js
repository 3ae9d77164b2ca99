// What the methods of rope_edu.scaling make of the rates of the dials, for
// boards that show them. A method takes the rates and p: the settings under
// their Python names, d, base, and length, that of the text so far. It gives
// the new rates, or nothing where Python would refuse.
(() => {
const TAU = 2 * Math.PI;

// From 0 at low to 1 at high; a step if they are equal.
const ramp = (x, low, high) => (low === high ? Number(x >= high)
  : Math.min(Math.max((x - low) / (high - low), 0), 1));
const blend = (rates, keep, factor) => rates.map((theta, i) =>
  theta * (keep(theta, i) + (1 - keep(theta, i)) / factor));
const byTurns = (rates, p, low, high) => blend(rates, (theta) =>
  ramp(p.original_length * theta / TAU, low, high), p.factor);
// A larger base: the fastest dial stays, the slowest is divided by factor.
const ntk = (rates, factor) => (rates.length < 2 ? undefined
  : rates.map((theta, i) => theta * factor ** (-i / (rates.length - 1))));
const divided = (rates, divisors) => (divisors?.length === rates.length
  ? rates.map((theta, i) => theta / divisors[i]) : undefined);

const yarn = (rates, p) => { // its ramp runs over the numbers of the dials
  const { beta_fast = 32, beta_slow = 1, truncate = true } = p;
  const [floor, ceil] = truncate ? [Math.floor, Math.ceil] : [Number, Number];
  const at = (turns) => // the dial, not whole, that makes so many
    p.d * Math.log(p.original_length / (turns * TAU)) / (2 * Math.log(p.base));
  const low = Math.max(floor(at(beta_fast)), 0);
  const high = Math.min(ceil(at(beta_slow)), p.d - 1);
  const end = Math.max(high, low + 0.001);
  return low > high ? undefined
    : blend(rates, (_, i) => 1 - ramp(i, low, end), p.factor);
};

globalThis.clockDialsMethods = {
  Linear: (rates, p) => rates.map((theta) => theta / p.factor),
  NTKAware: (rates, p) => ntk(rates, p.factor),
  DynamicNTK: (rates, p) =>
    ntk(rates, 1 + p.factor * Math.max(p.length / p.original_length - 1, 0)),
  NTKByParts: (rates, p) => byTurns(rates, p, p.alpha ?? 1, p.beta ?? 32),
  YaRN: yarn,
  Llama3: (rates, p) =>
    byTurns(rates, p, p.low_freq_factor ?? 1, p.high_freq_factor ?? 4),
  LongRoPE: (rates, p) => divided(rates,
    p.length > p.original_length ? p.long_factor : p.short_factor),
  Proportional: (rates, { partial_factor = 0.5, factor }) =>
    rates.map((theta, i) =>
      (i + 1 <= partial_factor * rates.length ? theta / factor : 0)),
};
})();
