"""Archives whose bytes follow from their content alone."""

import io
import zipfile

DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold


def packed(files, stored=()):
    """Return a zip archive of some files.

    Parameters
    ----------
    files : dict of str to str or bytes
        What lies in it, in this order.
    stored : collection of str
        Names of files that are not compressed.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            if name not in stored:
                entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()
