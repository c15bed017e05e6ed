import { tex } from '@mdit/plugin-tex';
import MarkdownIt, { type Token } from 'markdown-it';
import { MAX_MARKDOWN_CHARS } from './limits.ts';

export type Inline =
  | { readonly type: 'text' | 'code' | 'math'; readonly text: string }
  | { readonly type: 'break' }
  | { readonly type: 'strong' | 'em' | 'strike'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly url: string; readonly children: readonly Inline[] }
  | { readonly type: 'image'; readonly url: string; readonly text: string };

export type Align = 'left' | 'center' | 'right' | undefined;

export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: 'quote'; readonly children: readonly Block[] }
  | {
      readonly type: 'list';
      readonly start: number | undefined;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'math'; readonly text: string }
  | { readonly type: 'rule' }
  | {
      readonly type: 'table';
      readonly aligns: readonly Align[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    };

/** Drawing more parts than this would block the page. */
const MAX_TOKENS = 12_000;
/** Deeper nesting is shown as source. */
const MAX_NESTING = 24;

/**
 * CommonMark with tables, strikethrough and math. HTML is treated as text. So are link definitions, because they would
 * otherwise be invisible. `markdown-it` takes linear time, even for hostile texts.
 */
function createParser(): MarkdownIt {
  const parser = new MarkdownIt('default', { html: false, linkify: false, typographer: false, breaks: true });
  // An option that the types of the package leave out.
  Object.assign(parser.options, { maxNesting: MAX_NESTING });
  return parser.disable('reference');
}
const plainParser = createParser();
const mathParser = createParser().use(tex, { delimiters: 'all', render: (content: string) => content });

/** The plug-in looks for the end of a formula from each beginning, up to the end of the text. */
const MAX_FORMULAS = 1000;

/**
 * Markdown as a tree of the few elements that Loupe draws. All texts in it are untrusted and must be shown as text.
 *
 * @returns `undefined` if the text is too long or has too many parts to be drawn
 */
export function parseMarkdown(text: string): readonly Block[] | undefined {
  if (text.length > MAX_MARKDOWN_CHARS) return undefined;
  const formulas = text.match(/\\[([]/g)?.length ?? 0;
  const tokens = (formulas > MAX_FORMULAS ? plainParser : mathParser).parse(text, {});
  const count = tokens.reduce((sum, { children }) => sum + 1 + (children?.length ?? 0), 0);
  if (count > MAX_TOKENS) return undefined;
  return blocksOf({ tokens, at: 0 });
}

interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
}

/** Blocks up to the end of what the cursor is in. */
function blocksOf(cursor: Cursor): Block[] {
  const blocks: Block[] = [];
  for (let token = cursor.tokens[cursor.at]; token; token = cursor.tokens[cursor.at]) {
    cursor.at += 1;
    if (token.nesting === -1) break;
    const block = blockOf(token, cursor);
    if (block) blocks.push(block);
  }
  return blocks;
}

function blockOf(token: Token, cursor: Cursor): Block | undefined {
  switch (token.type) {
    case 'paragraph_open':
      return { type: 'paragraph', children: inlinesIn(cursor) };
    case 'heading_open':
      return { type: 'heading', level: Number(token.tag.slice(1)), children: inlinesIn(cursor) };
    case 'blockquote_open':
      return { type: 'quote', children: blocksOf(cursor) };
    case 'bullet_list_open':
      return { type: 'list', start: undefined, items: itemsOf(cursor) };
    case 'ordered_list_open':
      return { type: 'list', start: Number(token.attrGet('start') ?? 1), items: itemsOf(cursor) };
    case 'fence':
      return {
        type: 'code',
        language: token.info.trim().split(/\s/, 1)[0] ?? '',
        text: withoutLastBreak(token.content),
      };
    case 'code_block':
      return { type: 'code', language: '', text: withoutLastBreak(token.content) };
    case 'math_block':
      return { type: 'math', text: token.content.trim() };
    case 'hr':
      return { type: 'rule' };
    case 'table_open':
      return tableOf(cursor);
    default:
      // At the nesting limit, the parser leaves the source as inline text.
      return token.type === 'inline' ? { type: 'paragraph', children: inlinesOf(token) } : undefined;
  }
}

function itemsOf(cursor: Cursor): Block[][] {
  const items: Block[][] = [];
  for (let token = cursor.tokens[cursor.at]; token; token = cursor.tokens[cursor.at]) {
    cursor.at += 1;
    if (token.nesting === -1) break;
    items.push(blocksOf(cursor));
  }
  return items;
}

function tableOf(cursor: Cursor): Block {
  const aligns: Align[] = [];
  const rows: Inline[][][] = [];
  for (let token = cursor.tokens[cursor.at]; token; token = cursor.tokens[cursor.at]) {
    cursor.at += 1;
    if (token.type === 'table_close') break;
    if (token.type === 'tr_open') rows.push([]);
    if (token.type === 'th_open') aligns.push(alignOf(token));
    if (token.type === 'inline') rows.at(-1)?.push(inlinesOf(token));
  }
  const [head = [], ...body] = rows;
  return { type: 'table', aligns, head, rows: body };
}

function alignOf(token: Token): Align {
  const style = String(token.attrGet('style') ?? '');
  return (['left', 'center', 'right'] as const).find((align) => style.endsWith(`:${align}`));
}

/** The text of a paragraph or heading, with the token that closes it. */
function inlinesIn(cursor: Cursor): Inline[] {
  const token = cursor.tokens[cursor.at];
  cursor.at += 2;
  return token ? inlinesOf(token) : [];
}

function inlinesOf({ children }: Token): Inline[] {
  return inlinesUntilEnd({ tokens: children ?? [], at: 0 });
}

function inlinesUntilEnd(cursor: Cursor): Inline[] {
  const inlines: Inline[] = [];
  for (let token = cursor.tokens[cursor.at]; token; token = cursor.tokens[cursor.at]) {
    cursor.at += 1;
    if (token.nesting === -1) break;
    const inline = inlineOf(token, cursor);
    const last = inlines.at(-1);
    if (inline.type === 'text' && last?.type === 'text') {
      inlines[inlines.length - 1] = { type: 'text', text: last.text + inline.text };
    } else if (inline.type !== 'text' || inline.text !== '') {
      inlines.push(inline);
    }
  }
  return inlines;
}

const SPANS: Readonly<Record<string, 'strong' | 'em' | 'strike'>> = {
  strong_open: 'strong',
  em_open: 'em',
  s_open: 'strike',
};

function inlineOf(token: Token, cursor: Cursor): Inline {
  const span = SPANS[token.type];
  if (span) return { type: span, children: inlinesUntilEnd(cursor) };
  switch (token.type) {
    case 'softbreak':
    case 'hardbreak':
      return { type: 'break' };
    case 'code_inline':
      return { type: 'code', text: token.content };
    case 'math_inline':
      return mathOf(token, cursor);
    case 'link_open':
      return { type: 'link', url: String(token.attrGet('href') ?? ''), children: inlinesUntilEnd(cursor) };
    case 'image':
      return { type: 'image', url: String(token.attrGet('src') ?? ''), text: token.content };
    default:
      return { type: 'text', text: token.content };
  }
}

/** Two dollar signs may also enclose prices or shell variables; then the second one begins a word or is inside code. */
function mathOf({ markup, content }: Token, { tokens, at }: Cursor): Inline {
  const next = tokens[at];
  const isMath =
    markup !== '$' || !(/[`\n]/.test(content) || (next?.type === 'text' && /^\w/.test(next.content)));
  return isMath ? { type: 'math', text: content } : { type: 'text', text: `$${content}$` };
}

function withoutLastBreak(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
