/** Documents that would do something, were they anything but text. Each says `pwned` where it comes through. */
export const HOSTILE: Readonly<Record<string, string>> = {
  'script.md': `# Script <script>window.pwned = 1</script>

Quarterly marzipan report. <script>window.pwned = 1</script>
<img src="x" onerror="window.pwned = 1"> <svg onload="window.pwned = 1"><script>window.pwned = 1</script></svg>
<iframe src="https://elsewhere.example/frame"></iframe><style>body { display: none }</style>

[a click](javascript:window.pwned=1) [data](data:text/html,<script>window.pwned=1</script>) [fine](https://elsewhere.example/)
<a href="javascript:window.pwned=1">raw</a> ![picture](https://elsewhere.example/picture.png)
`,
  'bidi.md': `# Marzipan invoice \u202egnp.exe\u202c

The marzipan file is named \u202efdp.tpircs\u202c and \u2066isolated\u2069 text goes on.
`,
  'cells.csv': `name,value\n${'marzipan cell,1\n'.repeat(3_000)}`,
  'line.txt': `marzipan ${'a long line without an end '.repeat(8_000)}`,
};
