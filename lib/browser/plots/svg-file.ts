/** The styles that make a shape look the same outside of the page. */
const PROPERTIES = [
  ...['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'opacity'],
  ...['font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline', 'shape-rendering'],
];
const MARGIN_PX = 12;
const TITLE_PX = 22;
const FILE_NAME_CHARS = 60;

/** A plot as the text of an SVG file: with its title, the page's ground, and colors as they are shown. */
function svgFile(svg: SVGSVGElement, title: string): string {
  const { width, height } = svg.getBoundingClientRect();
  const body = getComputedStyle(document.body);
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll('*')];
  for (const [index, element] of [copy, ...copy.querySelectorAll('*')].entries()) {
    const original = originals[index];
    if (!original) continue;
    const style = getComputedStyle(original);
    for (const name of PROPERTIES) element.setAttribute(name, style.getPropertyValue(name));
    for (const name of ['class', 'style', 'aria-hidden']) element.removeAttribute(name);
  }
  const outer = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const [outerWidth, outerHeight] = [width + 2 * MARGIN_PX, height + 2 * MARGIN_PX + TITLE_PX];
  set(outer, { width: outerWidth, height: outerHeight, viewBox: `0 0 ${outerWidth} ${outerHeight}` });
  const ground = document.createElementNS(outer.namespaceURI, 'rect') as SVGRectElement;
  set(ground, {
    width: outerWidth,
    height: outerHeight,
    fill: getComputedStyle(document.documentElement).backgroundColor,
  });
  const heading = document.createElementNS(outer.namespaceURI, 'text') as SVGTextElement;
  set(heading, {
    x: MARGIN_PX,
    y: MARGIN_PX + 12,
    fill: body.color,
    'font-family': body.fontFamily,
    'font-size': 14,
  });
  heading.textContent = title;
  set(copy, { x: MARGIN_PX, y: MARGIN_PX + TITLE_PX, width, height });
  outer.append(ground, heading, copy);
  return new XMLSerializer().serializeToString(outer);
}

function set(element: Element, attributes: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/** Saves a plot as an SVG file named after its title. */
export function saveSvg(svg: SVGSVGElement, title: string): void {
  const url = URL.createObjectURL(new Blob([svgFile(svg, title)], { type: 'image/svg+xml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, FILE_NAME_CHARS)}.svg`;
  link.click();
  URL.revokeObjectURL(url);
}
