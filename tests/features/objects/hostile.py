"""Files that try to run a script in a person's session: name → bytes and stored type. Every script calls `owned`."""

from tests.browser.steps import png

_SCRIPT = b"<script>window.owned=1;console.error('owned');fetch('/owned')</script>"
_HTML = b"<!doctype html><html><body>" + _SCRIPT + b"<img src=x onerror=\"console.error('owned')\"></body></html>"
_SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="console.error(\'owned\')">' + _SCRIPT + b"</svg>"
_XSL = (
    b'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><d><xsl:stylesheet id="s" version="1.0" '
    b'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html>'
    + _SCRIPT
    + b"</html></xsl:template></xsl:stylesheet></d>"
)
_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(console.println('owned'))>>>>endobj\n"
    b"trailer<</Root 1 0 R>>\n%%EOF\n"
)

CORPUS: dict[str, tuple[bytes, str]] = {
    "page.png": (_HTML, "image/png"),
    "page as nothing.png": (_HTML, "application/octet-stream"),
    "page.html": (_HTML, "text/html"),
    "page as text.txt": (_HTML, "text/html; charset=utf-8"),
    "drawing.svg": (_SVG, "image/svg+xml"),
    "drawing.png": (_SVG, "image/png"),
    "drawing as xml.xml": (_SVG, "application/xml"),
    "sheet.xml": (_XSL, "text/xml"),
    "seven.html": (b"+ADw-script+AD4-console.error('owned')+ADw-/script+AD4-", "text/html; charset=utf-7"),
    "polyglot.gif": (b"GIF89a=1;console.error('owned');/*" + bytes(20) + b"*/" + _SCRIPT, "image/gif"),
    "polyglot.js": (b"GIF89a=1;console.error('owned')", "text/javascript"),
    "real and more.png": (png() + _HTML, "image/png"),
    "paper.pdf": (_PDF, "application/pdf"),
    "page.pdf": (_HTML, "application/pdf"),
    "archive.mhtml": (b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n" + _HTML, "message/rfc822"),
    "page.mp4": (_HTML, "video/mp4"),
    "page.xhtml": (b'<html xmlns="http://www.w3.org/1999/xhtml">' + _SCRIPT + b"</html>", "application/xhtml+xml"),
    "leaving.html": (b"</code></pre></div></aside>" + _SCRIPT + b"{{ 7*7 }}{% debug %}", "text/plain"),
    "data.json": (b'{"a":"</script>' + _SCRIPT + b'"}', "application/json"),
}
