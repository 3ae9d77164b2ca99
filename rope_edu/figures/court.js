// The court's filter and its sortable table; without it all is shown.
(() => {
  "use strict";

  class CourtFilter extends HTMLElement {
    connectedCallback() {
      this.claims = [...document.querySelectorAll(".claim")];
      this.controls = [...this.querySelectorAll("select, input")];
      for (const control of this.controls) {
        control.addEventListener("input", () => this.apply());
      }
      addEventListener("hashchange", () => this.reveal(location.hash));
      // Following the link to where one is already changes no hash.
      document.addEventListener("click", (event) => {
        const link = event.target.closest('a[href^="#claim-"]');
        if (link) this.reveal(link.hash);
      });
      this.apply();
    }

    apply() {
      const [verdict, topic, words] = this.controls.map((c) => c.value);
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const claim of this.claims) {
        const text = claim.textContent.toLowerCase();
        claim.hidden =
          (verdict && !claim.classList.contains(verdict)) ||
          (topic && !claim.classList.contains(topic)) ||
          !wanted.every((word) => text.includes(word));
        shown += !claim.hidden;
      }
      this.querySelector("output").textContent =
        `${shown} of ${this.claims.length} claims`;
    }

    // A link to a claim that is filtered out shows it again.
    reveal(hash) {
      const claim = document.getElementById(hash.slice(1));
      if (!claim || !claim.hidden) return;
      for (const control of this.controls) control.value = "";
      this.apply();
      claim.scrollIntoView();
    }
  }

  function key(row, column) {
    const cell = row.cells[column];
    if (cell.dataset.key) return Number(cell.dataset.key);
    return cell.textContent === "–" ? null : cell.textContent;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en");
  }

  // Empty cells stay last, whichever way the column is sorted.
  function sort(body, column, sign) {
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * compare(a, b);
    });
    body.append(...rows.map(([, row]) => row));
  }

  function arm(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        sort(table.tBodies[0], column, up ? 1 : -1);
      });
    });
  }

  // The page holds this script twice, for the filter and for the table.
  function start() {
    if (customElements.get("court-filter")) return;
    customElements.define("court-filter", CourtFilter);
    document.querySelectorAll(".sortable table").forEach(arm);
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else start();
})();
