import { excerpt, MAX_REPAIRS } from '../limits.ts';

/** What had to be overlooked to read a value that is not strict JSON. */
export type RepairRule =
  | 'trailing-comma'
  | 'missing-comma'
  | 'single-quotes'
  | 'smart-quotes'
  | 'triple-quotes'
  | 'python-literal'
  | 'bare-key'
  | 'bare-value'
  | 'comment'
  | 'raw-control-character'
  | 'bad-escape'
  | 'unescaped-quote'
  | 'missing-closer'
  | 'number-as-text';

export interface TextRepair {
  rule: string;
  before: string;
  after: string;
}

/** How a family of formats writes values. What is `native` to it is no repair. */
export interface Dialect {
  native: ReadonlySet<RepairRule>;
  /** Encloses text without any escapes, as `<escape>` does. */
  delimiter?: string;
  /** `(1, 2)` is a list and `r'…'` a string. */
  python?: boolean;
}

const JSON_DIALECT: Dialect = { native: new Set() };

export interface JsonReaderOptions {
  dialect?: Dialect;
  /** A quote that no separator follows is part of the text. Only sensible behind an explicit marker. */
  looseQuotes?: boolean;
  /** A control tag or fence where a comma or closer belongs ends the value, its closers counting as missing. */
  closeAtMarker?: boolean;
  /** Offset at which the text counts as ended. */
  limit?: number;
}

export type StopReason = 'malformed' | 'cut' | 'too-deep';

/** Thrown by the parts of the JSON reader and caught by `readJson` only: reading ended here. */
export class Stop {
  reason: StopReason;
  at: number;

  constructor(reason: StopReason, at: number) {
    this.reason = reason;
    this.at = at;
  }
}

const MARKER = /<|```|\[\/|\[TOOL/y;

/** A place in a text that is read as JSON, and what was overlooked on the way there. */
export class JsonCursor {
  readonly text: string;
  readonly dialect: Dialect;
  readonly options: JsonReaderOptions;
  readonly repairs: TextRepair[] = [];
  at: number;

  constructor(text: string, start: number, options: JsonReaderOptions) {
    this.text = options.limit === undefined ? text : text.slice(0, options.limit);
    this.at = start;
    this.options = options;
    this.dialect = options.dialect ?? JSON_DIALECT;
  }

  /** The character at the cursor; `undefined` at the end. */
  get char(): string | undefined {
    return this.text[this.at];
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Moves behind white space and comments. */
  skipSpace(): void {
    for (;;) {
      this.at = behindBlanks(this.text, this.at);
      if (this.char !== '/') return;
      const next = this.text[this.at + 1];
      if (next === '/') this.#skipComment('\n', 0);
      else if (next === '*') this.#skipComment('*/', 2);
      else return;
    }
  }

  #skipComment(closer: string, closerChars: number): void {
    const end = this.text.indexOf(closer, this.at + 2);
    if (end === -1) throw new Stop('cut', this.text.length);
    this.repair('comment', this.text.slice(this.at, end + closerChars), '');
    this.at = end + closer.length;
  }

  /** Whether a tag, fence or marker stands at an offset, where a value has to have ended. */
  isMarker(at: number): boolean {
    return this.options.closeAtMarker === true && this.matchAt(MARKER, at) !== undefined;
  }

  /** What a sticky pattern matches at an offset. */
  matchAt(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.[0];
  }

  /** Records what was overlooked, unless the dialect allows it. The same again right away is not worth a line. */
  repair(rule: RepairRule, before: string, after: string): void {
    if (this.dialect.native.has(rule) || this.repairs.length >= MAX_REPAIRS) return;
    const last = this.repairs[this.repairs.length - 1];
    if (last?.rule === rule && last.before === before) return;
    this.repairs.push({ rule, before: excerpt(before), after: excerpt(after) });
  }
}

/** Offset of the first character at or behind `from` that is no white space. */
export function behindBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xa0 || code === 0xfeff;
}
