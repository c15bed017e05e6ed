/** The style of a report: system fonts, light and dark, and print. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --canvas: light-dark(#fcfbf9, #1a1816); --ink: light-dark(#1f1b17, #ece7df);
  --quiet: light-dark(#6b6359, #9a9184); --line: light-dark(#e4dfd7, #2c2925); --brass: light-dark(#7f5406, #e0b35c); }
body { margin: 0 auto; max-width: 64rem; padding: 2rem 1.25rem 4rem; background: var(--canvas); color: var(--ink);
  font: 15px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
p { max-width: 44rem; } .quiet, figcaption, caption { color: var(--quiet); } a { color: var(--brass); }
figure { margin: 1rem 0; } figcaption, caption { text-align: left; font-size: .9rem; margin-bottom: .35rem; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; } svg a { text-decoration: none; }
.label { text-anchor: end; fill: var(--ink); } .tick { text-anchor: middle; fill: var(--quiet); }
.tick.end { text-anchor: end; } .tick.start { text-anchor: start; } text.quiet { fill: var(--quiet); }
.grid { stroke: var(--line); } .interval { stroke: var(--brass); stroke-width: 2; } .dot { fill: var(--brass); }
.scrolls { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; white-space: nowrap; } thead th { color: var(--quiet); font-weight: 500; } tbody th { font-weight: 400; }
:target { outline: 2px solid var(--brass); }
pre { overflow-x: auto; padding: 1rem; border: 1px solid var(--line); border-radius: .4rem; font-size: .8rem; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; font-size: .85rem; }
.swatch { display: inline-block; width: .8em; height: .8em; margin-right: .45em; border-radius: 2px; }
.series-0 { fill: #4e79a7; background: #4e79a7; } .series-1 { fill: #e49444; background: #e49444; }
.series-2 { fill: #d1605e; background: #d1605e; } .series-3 { fill: #85b6b2; background: #85b6b2; }
.series-4 { fill: #6a9f58; background: #6a9f58; } .series-5 { fill: #e7ca60; background: #e7ca60; }
.series-6 { fill: #a87c9f; background: #a87c9f; } .series-7 { fill: #967662; background: #967662; }
.pass { background: light-dark(#dcefdc, #1f3a24); } .some { background: light-dark(#fbf0d3, #3d331a); }
.none { background: light-dark(#f8dcd9, #43211f); }
@media print { body { max-width: none; padding: 0; } figure, tr { break-inside: avoid; } }
`;
