import type { Match } from './match.ts';
import { CharSet, type TextRuns } from './text-runs.ts';

/** Names that indicate a secret. Every alternative is a literal, so the search is linear. */
const KEY_NAMES =
  /passw(?:or)?d|passphrase|passcode|passwort|kennwort|pwd|pass(?![a-z])|secret|token(?!s|iz|_?(?:count|limit|estimate))|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|auth(?![a-z])|credential|connection[_-]?string|cookie|(?<![a-z])sig(?:nature)?(?=\s*=)|_[ks]k(?![a-z])|_key(?![a-z])|(?<![a-z])key(?![a-z])|sess(?:ion)?[_-]?id|(?<![a-z])sid(?![a-z])/gi;

const KEY_NAME = new RegExp(KEY_NAMES.source, 'i');

/** Names whose value is always a secret, however plain it looks. */
const STRONG =
  /passw|passphrase|passcode|passwort|kennwort|pwd|secret|private|signing|encryption|connection/i;
const NAME_CHAR = new CharSet(/[A-Za-z0-9_.-]/);
const UNQUOTED = new CharSet(/[^\s"'`,;&<>\\]/, true);

/** Words that describe a value rather than being one. */
const PLACEHOLDERS = new Set(
  (
    'true false null none undefined nil yes no on off string str number int integer boolean bool bytes text any unknown object ' +
    'required optional default empty unset missing changeme redacted masked hidden example placeholder value password secret ' +
    'token key username user name type const let var function return self this await'
  ).split(' '),
);

/** Values in `password=…`, `token: …`, `"api_key": "…"`, `--secret …`, `?sig=…` and lines of `.env` files. */
export function* findAssignments(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  KEY_NAMES.lastIndex = 0;
  for (let found = KEY_NAMES.exec(text); found !== null; found = KEY_NAMES.exec(text)) {
    const nameEnd = skipName(text, found.index + found[0].length);
    const value = readValue(runs, found.index, nameEnd);
    if (!value) continue;
    const name = text.slice(Math.max(0, found.index - 40), nameEnd);
    const own = /[A-Za-z0-9_.-]*$/.exec(name)?.[0] ?? name;
    const isEnvLine = value.separator === '=' && own.length > 3 && own === own.toUpperCase();
    const content = text.slice(value.start, Math.min(value.end, value.start + 256));
    if (value.prose && !isSaidSecret(content)) continue;
    if (
      !isSecret(content, { strong: isEnvLine || STRONG.test(found[0]), quoted: value.quoted, name: found[0] })
    ) {
      continue;
    }
    yield {
      kind: STRONG.test(found[0]) && /^p/i.test(found[0]) ? 'password' : 'credential',
      group: 'secret',
      start: value.start,
      end: value.end,
      ...(isDistinctive(text.slice(value.start, value.end)) ? { learned: true as const } : {}),
    };
    KEY_NAMES.lastIndex = value.end;
  }
}

/** Whether the value of an object key, or the argument after a flag, is a secret. */
export function isCredential(name: string, value: string): boolean {
  const found = KEY_NAME.exec(name.slice(0, 200));
  if (!found) return false;
  return isSecret(value.slice(0, 256), { strong: STRONG.test(found[0]), quoted: true, name: found[0] });
}

/** Whether a value can be searched for elsewhere without matching ordinary words. */
export function isDistinctive(value: string): boolean {
  return (
    value.length >= 8 && value.length <= 4096 && /\d/.test(value) && /[^\d.]/.test(value) && !/\s/.test(value)
  );
}

function isSecret(value: string, options: { strong: boolean; quoted: boolean; name: string }): boolean {
  const { strong, quoted, name } = options;
  if (value.length < 4 || value.includes('‹')) return false;
  if (PLACEHOLDERS.has(value.toLowerCase().replace(/[^a-z]/g, ''))) return false;
  if (/^[$<{[%*(]/.test(value) && !/^\$\d/.test(value)) return false;
  // Elided, or a placeholder: `sk-...`, `your-api-key-here`.
  if (/(?:\.{3}|…)$/.test(value) || /^your[-_ ]/i.test(value)) return false;
  // Code: a call, or dotted names.
  if (!quoted && /^[A-Za-z_][\w.]{0,100}[([]/.test(value)) return false;
  if (!quoted && /^[A-Za-z_]{1,60}(?:\.[A-Za-z_]{1,60}){1,8}[)]?$/.test(value)) return false;
  if (strong) return true;
  if (value.length < 8 || /\s/.test(value)) return false;
  if (!quoted && SOURCE_PATH.test(value)) return false;
  if (/^(?:_?key)$/i.test(name)) return value.length >= 20 && /\d/.test(value) && entropy(value) >= 3.5;
  return (/\d/.test(value) && /[A-Za-z]/.test(value)) || (value.length >= 20 && entropy(value) >= 3.5);
}

/** Shannon entropy in bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

function skipName(text: string, from: number): number {
  let at = from;
  while (at < from + 40 && NAME_CHAR.has(text.charCodeAt(at))) at += 1;
  return at;
}

interface Value {
  start: number;
  end: number;
  quoted: boolean;
  separator: string;
  /** Set if only words or a comma separate it from its name. */
  prose?: true;
}

/** Paths of source files: `auth: lib/auth2/index.ts`. */
const SOURCE_PATH = /^[\w.-]+(?:\/[\w.-]+)+\.[A-Za-z]{1,5}(?::\d+)*$/;
/** Words with digits that follow such names in prose and are not secrets. */
const TERMS =
  /^(?:sha|md|aes|rsa|ed|base|utf|iso|oauth|saml|argon|bcrypt|scrypt|pbkdf|hmac|win|mysql|postgres|http|ipv|v|n?var|char|int|text|step|line|page|rfc|iteration|test)[-_a-z]{0,12}\d/i;

/** Whether a word in a sentence or a table looks like a secret rather than an ordinary word. */
function isSaidSecret(value: string): boolean {
  return (
    value.length >= 6 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^\d+[-.]?[A-Za-z]+$/.test(value) &&
    !TERMS.test(value) &&
    !value.includes('/')
  );
}

/** Whether a text beside a name is another one: lists of names look like pairs, `["password", "address2"]`. */
function isListedName(value: string): boolean {
  return /^[A-Za-z_]*\d{0,2}$/.test(value);
}

/** Whether the second of two texts in a list is a secret if the first one names it: `["password", "…"]`. */
export function isPairedSecret(value: string): boolean {
  return !isListedName(value) && isSaidSecret(value);
}

const QUOTE = /\\{0,3}["'`]/.source;
/** A separator, possibly in bold, after a subscript (`env["API_KEY"] =`) or before a YAML block. */
const SEPARATED = new RegExp(
  `^(?:${QUOTE}\\]?|\\*\\*|__)?\\s{0,8}(=>|:=|=|:|\\\\u003d)(?:\\*\\*)?\\s{0,8}(?:[|>][+-]?\\n\\s{1,12}|\\*\\*)?(${QUOTE})?`,
);
/** `name: DB_PASSWORD`, then `value: …`, as in manifests, lists of headers and settings in XML. */
const NAMED = new RegExp(
  `^(?:${QUOTE})?\\s{0,8},?\\s{0,24}(?:${QUOTE})?value(?:${QUOTE})?\\s{0,4}[:=]\\s{0,4}(${QUOTE})?`,
  'i',
);
/** The next argument of a call: `setenv("DB_PASSWORD", "…")`, `define('DB_PASSWORD', '…')`. */
const LISTED = new RegExp(`^${QUOTE}\\s{0,4},\\s{0,8}(${QUOTE})`);
/** The table cell after a name, or a sentence: `the password is …`. */
const SAID = /^(?:\s{0,8}\|\s{0,8}|\s(?:is|was|ist|lautet)(?:\s|:\s))(["'`])?/;
/** `user ada password …`, as in sentences and in a `.netrc`. */
const BESIDE = /^\s(["'`])?/;

/** Parses the text after a name: a separator, optional quotes (also escaped: `\"`), and the value. */
function readValue(runs: TextRuns, nameStart: number, nameEnd: number): Value | undefined {
  const { text } = runs;
  const behind = text.slice(nameEnd, nameEnd + 64);
  const head = SEPARATED.exec(behind);
  if (head) {
    const start = nameEnd + head[0].length;
    return valueAt(runs, start, { quote: head[2] ?? '', separator: head[1] ?? '' });
  }
  const named = NAMED.exec(behind);
  if (named) return valueAt(runs, nameEnd + named[0].length, { quote: named[1] ?? '', separator: ':' });
  const listed = LISTED.exec(behind);
  if (listed) {
    const value = valueAt(runs, nameEnd + listed[0].length, { quote: listed[1] ?? '', separator: ',' });
    const isName = isListedName(runs.text.slice(value.start, Math.min(value.end, value.start + 256)));
    return isName ? undefined : { ...value, prose: true };
  }
  if (behind.startsWith('>') && /<[\w:.-]{0,60}$/.test(text.slice(Math.max(0, nameStart - 60), nameStart))) {
    return { start: nameEnd + 1, end: runs.next('<', nameEnd + 1), quoted: true, separator: '>' };
  }
  const flag = /--[\w-]{0,40}$/.test(text.slice(Math.max(0, nameStart - 42), nameStart));
  const gap = /^[ \t]{1,4}(["'])?/.exec(text.slice(nameEnd, nameEnd + 8));
  if (flag && gap) return valueAt(runs, nameEnd + gap[0].length, { quote: gap[1] ?? '', separator: ' ' });
  const said =
    SAID.exec(behind) ??
    (/^(?:passw|passphrase|passcode|kennwort|pwd)/i.test(text.slice(nameStart, nameEnd))
      ? BESIDE.exec(behind)
      : null);
  if (!said) return undefined;
  const value = valueAt(runs, nameEnd + said[0].length, { quote: said[1] ?? '', separator: ' ' });
  // The punctuation belongs to the sentence.
  while (value.end > value.start && /[.:!?)|*]/.test(text.charAt(value.end - 1))) value.end -= 1;
  return { ...value, prose: true };
}

function valueAt(runs: TextRuns, start: number, options: { quote: string; separator: string }): Value {
  const { quote, separator } = options;
  if (quote === '') return { start, end: runs.endOf(UNQUOTED, start), quoted: false, separator };
  const end = Math.min(runs.next(quote, start), runs.next('\n', start), runs.next('‹', start));
  return { start, end, quoted: true, separator };
}

const AUTH_SCHEMES = /\b(?:Bearer|Basic|Digest|Token|Negotiate)(?:[ \t]{1,4}|%20|\+)/gi;
const AUTH_VALUE = new CharSet(/[A-Za-z0-9+/=_.~-]/);

/** `Authorization: Bearer …` and similar. */
export function* findAuthorization(runs: TextRuns): Iterable<Match> {
  for (const match of runs.text.matchAll(AUTH_SCHEMES)) {
    const start = match.index + match[0].length;
    const end = runs.endOf(AUTH_VALUE, start);
    const value = runs.text.slice(start, Math.min(end, start + 256));
    if (value.length < 12 || !(/\d/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value)))) continue;
    yield {
      kind: 'authorization',
      group: 'secret',
      start,
      end,
      ...(isDistinctive(runs.text.slice(start, end)) ? { learned: true as const } : {}),
    };
  }
  for (const match of runs.text.matchAll(/(?:\s-u|\s--user|\s--proxy-user)[ =]{1,2}["']?/g)) {
    const start = match.index + match[0].length;
    const end = runs.endOf(UNQUOTED, start);
    const colon = runs.text.slice(start, Math.min(end, start + 100)).indexOf(':');
    if (colon > 0 && end > start + colon + 1)
      yield { kind: 'password', group: 'secret', start: start + colon + 1, end };
  }
}

/** The values of a `Cookie` header, and the value of an `Authorization` header of any scheme. */
export function* findHeaders(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  const headers = [
    ...text.matchAll(/\b(set-cookie|cookie|(?:proxy-)?authori[sz]ation)(?:\\{0,3}["'`])?:\s{0,4}/gi),
  ];
  for (const [place, match] of headers.entries()) {
    const start = match.index + match[0].length;
    // Ends at the next header, so that a line of headers is scanned only once.
    const end = Math.min(runs.next('\n', start), headers[place + 1]?.index ?? text.length, start + 4096);
    const line = text.slice(start, end);
    const cookie = /cookie/i.test(match[1] ?? '');
    const values = cookie
      ? line.matchAll(/(?<=^|;\s{0,4}|^\\{0,3}["'`])[\w.$-]{1,80}=([^;\s"'`\\‹]{1,4096})/g)
      : line.matchAll(/^\\{0,3}["'`]?(?:[A-Za-z][\w-]{1,20} {1,4})?([^\s"'`,\\‹]{8,4096})(?=$|["'`\\,\s])/g);
    for (const { 0: whole, 1: value = '', index } of values) {
      if (value.length < 8 || !/\d/.test(value) || !/[A-Za-z]/.test(value)) continue;
      if (/^\w{3},|GMT$/.test(value) || SOURCE_PATH.test(value)) continue;
      const at = start + index + whole.length - value.length;
      yield { kind: cookie ? 'cookie' : 'authorization', group: 'secret', start: at, end: at + value.length };
    }
  }
}

/** Passwords in command options without a name: `sshpass -p …`, `docker login -p …`, `mysql -p…`. */
export function* findCommandPasswords({ text }: TextRuns): Iterable<Match> {
  if (!text.includes(' -p')) return;
  const patterns = [
    /\b(?:sshpass|(?:docker|podman|helm registry|az acr) login[^\n|;&‹]{0,100}?)\s-p[ =]?["']?([^\s"'‹]{4,256})/g,
    /\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;&‹]{0,100}?\s-p["']?([^\s"'‹]{4,256})/g,
  ];
  for (const pattern of patterns) {
    for (const { 0: whole, 1: value = '', index } of text.matchAll(pattern)) {
      if (/^[$<{]/.test(value)) continue;
      const end = index + whole.length;
      yield { kind: 'password', group: 'secret', start: end - value.length, end };
    }
  }
}

const MAX_USERINFO = 256;
const AUTHORITY = new CharSet(/[^\s"'`<>/?#\\]/, true);
const URL_REST = new CharSet(/[^\s"'`<>\\]/, true);

/** User and password in a URL: `postgres://user:password@host/db`, `https://token@host/`. */
export function* findUrlCredentials(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    const authority = text.slice(start, Math.min(runs.endOf(AUTHORITY, start), start + MAX_USERINFO));
    let length = authority.lastIndexOf('@');
    if (length < 0 && /:[^0-9]/.test(authority)) {
      // A password with an unescaped slash.
      const rest = text.slice(start, Math.min(runs.endOf(URL_REST, start), start + MAX_USERINFO));
      length = rest.indexOf('@');
    }
    if (length <= 0) continue;
    const colon = authority.indexOf(':');
    if (colon < 0 && length < 20) continue;
    const scheme = /[a-z0-9+]{1,24}$/i.exec(text.slice(Math.max(0, at - 24), at))?.[0] ?? '';
    yield {
      kind: /^https?$|^ftp|^git|^ssh/i.test(scheme) ? 'url credentials' : 'database credentials',
      group: 'secret',
      start,
      end: start + length,
    };
  }
}

/** `jdbc:oracle:thin:scott/tiger@…` has credentials without `//`. */
export function* findOracleCredentials({ text }: TextRuns): Iterable<Match> {
  for (const { 0: whole, 1: value = '', index } of text.matchAll(
    /jdbc:oracle:\w{1,8}:([^\s/@"'‹]{1,64}\/[^\s@"'‹]{1,128})@/g,
  )) {
    const end = index + whole.length - 1;
    yield { kind: 'database credentials', group: 'secret', start: end - value.length, end };
  }
}

/** Azure application secrets: three characters, a digit, `Q~` and the rest. */
export function* findAzureSecrets(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  for (let at = text.indexOf('Q~'); at >= 0; at = text.indexOf('Q~', at + 2)) {
    const start = at - 4;
    if (start < 0 || !/^[A-Za-z0-9_~.-]{3}\d$/.test(text.slice(start, at))) continue;
    const end = runs.endOf(AUTH_VALUE, at + 2);
    if (end - at >= 28) yield { kind: 'azure key', group: 'secret', start, end };
  }
}
