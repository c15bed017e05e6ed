/** The colors of plots as on the dashboard (`app/globals.css`). */
export const PLOT_COLORS = [
  'light-dark(#16357f, #b7cced)',
  'light-dark(#8d4c15, #e78c28)',
  'light-dark(#12967f, #5fecbb)',
  'light-dark(#b535d4, #a834e6)',
  'light-dark(#a0861c, #e4db84)',
  'light-dark(#336681, #3199d8)',
  'light-dark(#5a2543, #d03a8e)',
  'light-dark(#5d513b, #a18d68)',
] as const;

/** The style of a report: system fonts, light and dark, and print. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --canvas: light-dark(#fcfbf9, #1a1816); --ink: light-dark(#1f1b17, #ece7df);
  --quiet: light-dark(#6b6359, #9a9184); --line: light-dark(#e4dfd7, #2c2925); --brass: light-dark(#7f5406, #e0b35c); }
body { margin: 0 auto; max-width: 64rem; padding: 2rem 1.25rem 4rem; background: var(--canvas); color: var(--ink);
  font: 0.9375rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
p { max-width: 44rem; } .quiet, figcaption, caption { color: var(--quiet); } a { color: var(--brass); }
figure { margin: 1rem 0; } figcaption, caption { text-align: left; font-size: .9rem; margin-bottom: .35rem; }
svg { width: 100%; min-width: 36rem; height: auto; font: 12px system-ui, sans-serif; } svg a { text-decoration: none; }
.label { text-anchor: end; fill: var(--ink); } .tick { text-anchor: middle; fill: var(--quiet); }
.tick.end { text-anchor: end; } .tick.start { text-anchor: start; } text.quiet { fill: var(--quiet); }
.grid { stroke: var(--line); } .interval { stroke: var(--brass); stroke-width: 2; } .dot { fill: var(--brass); }
.scrolls { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; white-space: nowrap; } thead th { color: var(--quiet); font-weight: 500; } tbody th { font-weight: 400; }
:target { outline: 2px solid var(--brass); }
pre { overflow-x: auto; padding: 1rem; border: 1px solid var(--line); border-radius: .4rem; font-size: .8rem; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; font-size: .85rem; }
.swatch { display: inline-block; width: .8em; height: .8em; margin-right: .45em; border-radius: 2px;
  forced-color-adjust: none; }
${PLOT_COLORS.map((color, index) => `.plot-${index + 1} { fill: ${color}; background-color: ${color}; }`).join('\n')}
.ground { fill: none; stroke: var(--canvas); stroke-width: 1.25; } .over { pointer-events: none; }
.stripes { background-image: repeating-linear-gradient(135deg, transparent 0 2px, var(--canvas) 2px 3.5px); }
.crosses { background-image: repeating-linear-gradient(135deg, transparent 0 2.5px, var(--canvas) 2.5px 3.5px),
  repeating-linear-gradient(45deg, transparent 0 2.5px, var(--canvas) 2.5px 3.5px); }
.pass { background: light-dark(#dcefdc, #1f3a24); } .some { background: light-dark(#fbf0d3, #3d331a); }
.none { background: light-dark(#f8dcd9, #43211f); }
@media print { .swatch { print-color-adjust: exact; } body { max-width: none; padding: 0; } svg { min-width: 0; } figure, tr { break-inside: avoid; }
  h1, h2, h3, caption, thead { break-after: avoid; } .scrolls { overflow: visible; } pre { overflow: visible; white-space: pre-wrap; overflow-wrap: anywhere; }
  table { font-size: .7rem; } td, th, td.n, th.n { padding-right: .35rem; white-space: normal; overflow-wrap: anywhere; }
  thead th { overflow-wrap: break-word; }
  @page { margin: 14mm 12mm; } }
`;
