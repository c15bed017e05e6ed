const MAX_TAG_CHARS = 256;
const BRACKET_TOKEN = /\[\/?(?:[A-Z_]{3,24}|[a-z]{2,12}_[a-z_]{2,12})\]/y;
const ELEMENT = /^(?:[A-Za-z][\w-]{0,31}:|[|｜]DSML[|｜])?([\p{L}_0-9][\p{L}\p{N}_.-]*)/u;
/** Some tokenizers write a space as `Ġ`: `<functionĠname="f">` (MiniCPM). */
const SPACE_MARK = /Ġ(?=[a-z]{1,16}=)/g;
/** The space before the attribute is missing: `<functionname="f">` (MiniCPM). */
const GLUED_NAME = /^(function|invoke|param(?:eter)?)name(?==)/;
const WIDE = /[｜▁\\]/;
/** Decorations of a token: `minimax:` and `|dsml|` before its name, `:opensource` after it (Hunyuan). */
const PREFIX = /^(\/?)(?:\|dsml\||[a-z][\w-]{0,31}:)/;
const SUFFIX = /:[a-z]\w{0,31}$/;

/**
 * A `<…>` of at most 256 characters: an XML element or a control token. Most tags in a text belong to no call and only
 * their token is needed, so everything is computed on first use.
 */
export class Tag {
  readonly at: number;
  readonly end: number;
  readonly closing: boolean;
  readonly selfClosing: boolean;
  /** The text between the brackets, without a closing slash. */
  readonly #body: string;
  #token: string | undefined;
  #named: { element: string; rest: string } | undefined;

  constructor(inner: string, at: number) {
    this.at = at;
    this.end = at + inner.length + 2;
    this.closing = inner.startsWith('/');
    this.#body = this.closing ? inner.slice(1) : inner;
    this.selfClosing = !this.closing && inner.endsWith('/');
  }

  /** The text between the brackets in lower case, with `|` and `_` for DeepSeek's full-width bars and blocks. */
  get token(): string {
    this.#token ??= normalize(this.closing ? `/${this.#body}` : this.#body);
    return this.#token;
  }

  /** The element's name without prefix: `invoke` in `<invoke name="f">`. Empty for control tokens. */
  get element(): string {
    return this.#parts.element;
  }

  /** The text after the element's name, as written. */
  get rest(): string {
    return this.#parts.rest;
  }

  get #parts(): { element: string; rest: string } {
    this.#named ??= readParts(this.#body, this.selfClosing);
    return this.#named;
  }
}

function readParts(written: string, selfClosing: boolean): { element: string; rest: string } {
  const body = written.includes('Ġ') ? written.replace(SPACE_MARK, ' ') : written;
  const named = ELEMENT.exec(body);
  if (!named) return { element: '', rest: '' };
  const [prefixed, element = ''] = named;
  const rest = body.slice(prefixed.length, selfClosing ? -1 : undefined);
  const glued = GLUED_NAME.exec(element + rest.slice(0, 1))?.[1];
  return glued === undefined ? { element, rest } : { element: glued, rest: ` name${rest}` };
}

/** The tag at an offset, if there is one. */
export function readTag(text: string, at: number): Tag | undefined {
  if (text[at] !== '<') return undefined;
  const last = Math.min(text.length, at + MAX_TAG_CHARS + 2);
  for (let end = at + 1; end < last; end++) {
    const code = text.charCodeAt(end);
    if (code === GREATER) return end === at + 1 ? undefined : new Tag(text.slice(at + 1, end), at);
    if (code === LESS || code === LINE_FEED) return undefined;
  }
  return undefined;
}

const GREATER = 0x3e;
const LESS = 0x3c;
const LINE_FEED = 0x0a;

/** The token like `[TOOL_CALLS]` at an offset, in lower case with its brackets. */
export function readBracketToken(text: string, at: number): { token: string; end: number } | undefined {
  BRACKET_TOKEN.lastIndex = at;
  const written = BRACKET_TOKEN.exec(text)?.[0];
  return written === undefined ? undefined : { token: written.toLowerCase(), end: at + written.length };
}

function normalize(inner: string): string {
  const lower = inner.trim().toLowerCase();
  const plain = WIDE.test(lower)
    ? lower.replaceAll('｜', '|').replaceAll('▁', '_').replaceAll('\\_', '_')
    : lower;
  return plain.includes('|') ? plain.replaceAll(' ', '_') : plain;
}

const NONE: readonly string[] = [];

/** The token without its prefix, and without its suffix, which some model families add. */
export function undecorated(token: string): readonly string[] {
  if (token.includes(':')) return [token.replace(PREFIX, '$1'), token.replace(SUFFIX, '')];
  return token.includes('|dsml|') ? [token.replace(PREFIX, '$1')] : NONE;
}

/** The value of a tag's attribute. For `name`, also the value after a `=` directly after the element's name. */
export function attribute(tag: Tag, name: string): string | undefined {
  const direct = /^\s*=\s*(.*)$/s.exec(tag.rest)?.[1];
  if (direct !== undefined && name === 'name') return unquote(direct.trim());
  const pattern = ATTRIBUTES.get(name);
  const match = pattern?.exec(tag.rest);
  return match ? (match[1] ?? match[2] ?? match[3]) : undefined;
}

const ATTRIBUTES: ReadonlyMap<string, RegExp> = new Map(
  ['name', 'string', 'key', 'tool', 'type'].map((name) => [
    name,
    new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`),
  ]),
);

function unquote(text: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  return quoted?.[2] ?? text;
}
