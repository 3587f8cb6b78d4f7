"""Just enough PDF for a table on a page."""


class Document:
    def __init__(self, title):
        self.title = title
        self._rows = []

    def row(self, *cells):
        self._rows.append([str(cell) for cell in cells])

    def bytes(self):
        """The file: objects, the cross-reference table with their offsets, the trailer."""
        objects = [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
            self._stream(),
        ]
        out, offsets = b"%PDF-1.4\n", []
        for number, body in enumerate(objects, 1):
            offsets.append(len(out))
            out += f"{number} 0 obj\n{body}\nendobj\n".encode()
        start = len(out)
        out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
        for offset in offsets:
            out += f"{offset:010d} 00000 n \n".encode()
        out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
        return out

    def _stream(self):
        text = [f"BT /F1 16 Tf 50 780 Td ({self.title}) Tj ET"]
        for at, cells in enumerate(self._rows):
            line = "   ".join(cells).replace("(", "\\(").replace(")", "\\)")
            text.append(f"BT /F1 10 Tf 50 {740 - 14 * at} Td ({line}) Tj ET")
        body = "\n".join(text)
        return f"<< /Length {len(body)} >>\nstream\n{body}\nendstream"
