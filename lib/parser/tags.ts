/** One `<…>` of at most 256 characters, as models write it: XML elements and control tokens alike. */
export interface Tag {
  at: number;
  end: number;
  /** What is between the brackets, in lower case, with `|` and `_` for the full-width bars and blocks of DeepSeek. */
  token: string;
  /** The element's name without prefix: `invoke` in `<invoke name="f">`. Empty for control tokens. */
  element: string;
  /** What follows the element's name, as written. */
  rest: string;
  closing: boolean;
  selfClosing: boolean;
}

const TAG = /<[^<>\n]{1,256}>/y;
const BRACKET_TOKEN = /\[\/?(?:[A-Z_]{3,24}|[a-z]{2,12}_[a-z_]{2,12})\]/y;
const ELEMENT = /^(?:[A-Za-z][\w-]{0,31}:|[|｜]DSML[|｜])?([\p{L}_0-9][\p{L}\p{N}_.-]*)/u;

/** The tag that starts at `at`, if one does. */
export function readTag(text: string, at: number): Tag | undefined {
  TAG.lastIndex = at;
  const written = TAG.exec(text)?.[0];
  if (written === undefined) return undefined;
  const inner = written.slice(1, -1);
  const closing = inner.startsWith('/');
  const body = closing ? inner.slice(1) : inner;
  const selfClosing = !closing && body.endsWith('/');
  const named = ELEMENT.exec(body);
  return {
    at,
    end: at + written.length,
    token: normalize(inner),
    element: named?.[1] ?? '',
    rest: named ? body.slice(named[0].length, selfClosing ? -1 : undefined) : '',
    closing,
    selfClosing,
  };
}

/** The `[TOOL_CALLS]`-like token that starts at `at`, in lower case with its brackets. */
export function readBracketToken(text: string, at: number): { token: string; end: number } | undefined {
  BRACKET_TOKEN.lastIndex = at;
  const written = BRACKET_TOKEN.exec(text)?.[0];
  return written === undefined ? undefined : { token: written.toLowerCase(), end: at + written.length };
}

function normalize(inner: string): string {
  const plain = inner.trim().toLowerCase().replaceAll('｜', '|').replaceAll('▁', '_').replaceAll('\\_', '_');
  return plain.includes('|') ? plain.replaceAll(' ', '_') : plain;
}

/** The value of an attribute of a tag, or what stands behind `=` right after the element's name. */
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
