import temml from 'temml';
import { visibleText } from '../words/text-pieces.ts';
import { MAX_MATH_CHARS } from './limits.ts';

/** A part of a formula: a MathML element, or text to show. */
export type MathPart =
  | string
  | {
      readonly tag: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly children: readonly MathPart[];
    };

/** As created by Temml, whose types do not declare them. */
interface TemmlNode {
  type?: string;
  text?: string;
  attributes?: Record<string, unknown>;
  children?: TemmlNode[];
}

const MAX_PARTS = 1500;
const MAX_DEPTH = 60;
/** Lengths of what is drawn, in em. Nothing goes backwards: that would cover the text before it. */
const MAX_EM = 4;

const TEXT_TAGS = new Set(['mi', 'mn', 'mo', 'mtext', 'ms']);
const LAYOUT_TAGS = new Set([
  ...['math', 'mrow', 'mfrac', 'msqrt', 'mroot', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover'],
  ...['mmultiscripts', 'mprescripts', 'mtable', 'mtr', 'mtd', 'mspace', 'mstyle'],
]);
const WORDS = /^[a-z ]{1,40}$/;
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  display: /^(block|inline)$/,
  displaystyle: /^(true|false)$/,
  scriptlevel: /^[0-3]$/,
  mathvariant: /^normal$/,
  fence: WORDS,
  form: WORDS,
  stretchy: WORDS,
  symmetric: WORDS,
  largeop: WORDS,
  movablelimits: WORDS,
  separator: WORDS,
  accent: WORDS,
  accentunder: WORDS,
  columnalign: WORDS,
};
const LENGTHS = new Set(['width', 'lspace', 'rspace', 'linethickness']);

/**
 * A formula as a tree of MathML elements that can only be read: no links, colors, styles or negative distances, and what
 * TeX would hide (phantoms) is shown.
 *
 * @returns `undefined` for a text that is not a formula, is too large, or has parts that would not be seen: show its source instead
 */
export function mathTree(source: string, display: boolean): MathPart | undefined {
  // A comment would vanish.
  if (source.length > MAX_MATH_CHARS || /(^|[^\\])%/.test(source)) return undefined;
  let root: TemmlNode;
  try {
    root = temml.__renderToMathMLTree(source, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: false,
      maxExpand: 100,
    });
  } catch {
    // Models write formulas that Temml does not know, and stop in the middle of one: the source is shown.
    return undefined;
  }
  const count = { parts: 0 };
  return partOf(root, count, 0);
}

function partOf(node: TemmlNode, count: { parts: number }, depth: number): MathPart | undefined {
  count.parts += 1;
  if (count.parts > MAX_PARTS || depth > MAX_DEPTH) return undefined;
  if (node.text !== undefined && node.children === undefined) return shownText(node.text);
  const children: MathPart[] = [];
  for (const child of node.children ?? []) {
    const part = partOf(child, count, depth + 1);
    if (part === undefined) return undefined;
    children.push(part);
  }
  const tag = node.type ?? 'mrow';
  const isKnown = TEXT_TAGS.has(tag) || LAYOUT_TAGS.has(tag);
  return { tag: isKnown ? tag : 'mrow', attributes: isKnown ? attributesOf(node) : {}, children };
}

/** Operators that are written without a sign: application, multiplication, separation, addition. */
const SILENT = /^[\u2061-\u2064]$/;

function shownText(text: string): string {
  if (SILENT.test(text)) return text;
  return visibleText(text)
    .map((piece) => ('text' in piece ? piece.text : `⟨${piece.mark}⟩`))
    .join('');
}

function attributesOf({ attributes = {} }: TemmlNode): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (Object.hasOwn(ATTRIBUTES, name) && ATTRIBUTES[name]?.test(text)) kept[name] = text;
    if (LENGTHS.has(name)) kept[name] = lengthOf(text);
  }
  return kept;
}

function lengthOf(text: string): string {
  const [, digits = '', unit = ''] = /^(\d*\.?\d+)(em|ex|px|pt)?$/.exec(text) ?? [];
  if (digits === '') return '0em';
  const perEm = { em: 1, ex: 2, px: 16, pt: 12, '': 1 }[unit] ?? 1;
  return `${Math.min(MAX_EM, Number(digits) / perEm)}em`;
}
