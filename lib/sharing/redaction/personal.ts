import type { Match } from './match.ts';
import { beginsAt, CharSet, type TextRuns } from './text-runs.ts';

const LOCAL = /[\p{L}\p{M}\p{N}._%+'-]/u;
const DOMAIN = /[\p{L}\p{M}\p{N}.-]/u;
const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;

/** E-mail addresses in any script. */
export function* findEmails({ text }: TextRuns): Iterable<Match> {
  let after = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > after && at - start < MAX_LOCAL && LOCAL.test(text.charAt(start - 1))) start -= 1;
    // `\nada@…`: the letter belongs to an escaped line break.
    if (text.charAt(start - 1) === '\\' && /[nrtbf]/.test(text.charAt(start))) start += 1;
    // A leading quote is not part of the name.
    while (start < at && text.charAt(start) === "'") start += 1;
    const from = at + 1;
    let end = from;
    while (end < text.length && end - from < MAX_DOMAIN && DOMAIN.test(text.charAt(end))) end += 1;
    while (end > from && /[.-]/.test(text.charAt(end - 1))) end -= 1;
    const local = text.slice(start, at);
    const domain = text.slice(from, end);
    // `icon@2x.png` and `git@github.com:…` are not addresses.
    if (local === '' || local === 'git' || !NAMED_DOMAIN.test(domain)) continue;
    if (!/\.\p{L}{2,24}$/u.test(domain) || /^\dx\./.test(domain)) continue;
    yield { kind: 'email', group: 'e-mail', start, end };
    after = end;
  }
}

const NAMED_DOMAIN = /^\p{L}[\p{L}\p{M}\p{N}-]*\.|^\d+\.[A-Za-z]{2,}$/u;

const NAME = new CharSet(/[^\s"'`/\\:*?<>|,;)(\]}[{]/, true);
const HOMES = ['/home/', '/Users/', '/root', '/var/home/', '/nfs/home/', '/export/home/'];
/** Windows paths, and homes within WSL. Backslashes may be escaped once or twice. */
const WINDOWS_HOMES =
  /(?:[a-z]:)?(\\{1,4})(?:Users|Documents and Settings)\1(?!\\)|\\{1,4}wsl[\w.$]{1,12}(\\{1,4})[\w.-]{1,40}\2home\2(?!\\)/gi;
/** Home folders without a person. */
const SHARED_HOMES = new Set(['Public', 'Default', 'Shared', 'All']);

/** The home folder of any user; the rest of the path stays readable. */
export function* findHomePaths(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  for (const home of HOMES) {
    for (let at = text.indexOf(home); at >= 0; at = text.indexOf(home, at + home.length)) {
      // `/mnt/c/Users/…` and `/c/Users/…`: Windows homes seen from other systems.
      const drive =
        home === '/Users/'
          ? /(?<![\w.])(?:\/mnt)?\/[A-Za-z]$/.exec(text.slice(Math.max(0, at - 8), at))
          : null;
      const start = at - (drive?.[0].length ?? 0);
      if (!drive && !beginsAt(text, start)) continue;
      if (home === '/root') {
        if (
          !/^(?:[^A-Za-z0-9_.-]|\.(?:\s|$)|$)/.test(text.slice(at + 5, at + 7)) ||
          text.charAt(at + 5) === '‹'
        )
          continue;
        yield { kind: 'home', group: 'path', start, end: at + 5 };
        continue;
      }
      const end = runs.endOf(NAME, at + home.length);
      yield* homeOf(text, { start, name: at + home.length, end });
    }
  }
  for (const { 0: whole, index } of text.includes('\\') ? text.matchAll(WINDOWS_HOMES) : []) {
    if (whole.startsWith('\\') && !beginsAt(text, index)) continue;
    const name = index + whole.length;
    let end = name;
    while (end < text.length && end - name < 300 && NAME.has(text.charCodeAt(end))) end += 1;
    // User names there may contain spaces.
    end += /^(?: [\w.-]{1,30}){1,2}(?=\\)/.exec(text.slice(end, end + 64))?.[0].length ?? 0;
    yield* homeOf(text, { start: index, name, end });
  }
}

function* homeOf(
  text: string,
  { start, name, end }: { start: number; name: number; end: number },
): Iterable<Match> {
  if (end <= name || end - start >= 300 || SHARED_HOMES.has(text.slice(name, end).split(' ', 1)[0] ?? ''))
    return;
  yield { kind: 'home', group: 'path', start, end };
}

const PRIVATE_IPV4 =
  /(?<![\d.›])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d{1,3}\.\d{1,3}(?![\d‹])/g;
const PRIVATE_IPV6 =
  /(?<![0-9A-Za-z.›]|[0-9a-f]:|::)(?:f[cd][0-9a-f]{2}|fe[89a-f][0-9a-f])(?::[0-9a-f]{0,4}){2,7}(?:%[a-z0-9]{1,16})?/gi;
const LOCAL_NAMES = ['.local', '.lan', '.internal', '.home.arpa'];
/** Names that cloud providers derive from private addresses. */
const ADDRESS_NAME = /(?<![\w-])ip-(?:10|172|192)-\d{1,3}-\d{1,3}-\d{1,3}(?![\w-])/g;
const HOST = new CharSet(/[A-Za-z0-9.-]/);
const NO_HOSTS = new Set(['env', 'this', 'self', 'window', 'module', 'settings', 'config']);

/** Addresses and host names that are only valid within a private network. */
export function* findPrivateAddresses({ text }: TextRuns): Iterable<Match> {
  for (const pattern of [PRIVATE_IPV4, PRIVATE_IPV6, ADDRESS_NAME]) {
    for (const match of text.matchAll(pattern)) {
      yield { kind: 'address', group: 'address', start: match.index, end: match.index + match[0].length };
    }
  }
  for (const suffix of LOCAL_NAMES) {
    for (let at = text.indexOf(suffix); at >= 0; at = text.indexOf(suffix, at + suffix.length)) {
      const end = at + suffix.length;
      if (/^(?:[A-Za-z0-9_-]|\.[A-Za-z0-9]|‹)/.test(text.slice(end, end + 2))) continue;
      let start = at;
      while (start > 0 && at - start < 200 && HOST.has(text.charCodeAt(start - 1))) start -= 1;
      const isFile = text.startsWith('.', start) && !text.startsWith('..', start);
      while (start < at && /[.-]/.test(text.charAt(start))) start += 1;
      if (text.charAt(start - 1) === '\\' && /[nrtbf]/.test(text.charAt(start))) start += 1;
      const before = text.charAt(start - 1);
      if (
        start === at ||
        before === '›' ||
        before === '_' ||
        isFile ||
        NO_HOSTS.has(text.slice(start, at).toLowerCase().split('.').at(-1) ?? '')
      ) {
        continue;
      }
      yield { kind: 'address', group: 'address', start, end };
    }
  }
}
