import type { Match } from './match.ts';
import { beginsAt, CharSet, type TextRuns } from './text-runs.ts';

const LOCAL = new CharSet(/[A-Za-z0-9._%+-]/);
const DOMAIN = new CharSet(/[A-Za-z0-9.-]/);
const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;

/** E-mail addresses, also with the sign percent-encoded. */
export function* findEmails({ text }: TextRuns): Iterable<Match> {
  for (const sign of ['@', '%40']) {
    let after = 0;
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + sign.length)) {
      let start = at;
      while (start > after && at - start < MAX_LOCAL && LOCAL.has(text.charCodeAt(start - 1))) start -= 1;
      // `\nada@…`: the letter belongs to a written line end.
      if (text.charAt(start - 1) === '\\' && /[nrtbf]/.test(text.charAt(start))) start += 1;
      const from = at + sign.length;
      let end = from;
      while (end < text.length && end - from < MAX_DOMAIN && DOMAIN.has(text.charCodeAt(end))) end += 1;
      while (end > from && /[.-]/.test(text.charAt(end - 1))) end -= 1;
      const local = text.slice(start, at);
      const domain = text.slice(from, end);
      // `icon@2x.png` and `git@github.com:…` name nobody.
      if (local === '' || local === 'git' || !/^[A-Za-z][A-Za-z0-9-]*\.|^\d+\.[A-Za-z]{2,}$/.test(domain))
        continue;
      if (!/\.[A-Za-z]{2,24}$/.test(domain) || /^\dx\./.test(domain)) continue;
      yield { kind: 'email', group: 'e-mail', start, end };
      after = end;
    }
  }
}

const NAME = new CharSet(/[^\s"'`/\\:*?<>|,;)(\]}[{]/, true);
const HOMES = ['/home/', '/Users/', '/root', '\\Users\\', '\\\\Users\\\\', '/var/home/'];

/** The home folder of any user; what lies below it stays readable. */
export function* findHomePaths(runs: TextRuns): Iterable<Match> {
  const { text } = runs;
  for (const home of HOMES) {
    for (let at = text.indexOf(home); at >= 0; at = text.indexOf(home, at + home.length)) {
      const windows = home.startsWith('\\');
      const drive = windows && /[A-Za-z]:$/.test(text.slice(Math.max(0, at - 2), at));
      const start = drive ? at - 2 : at;
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
      if (end > at + home.length && end - at < 300) yield { kind: 'home', group: 'path', start, end };
    }
  }
}

const PRIVATE_IPV4 =
  /(?<![\d.›])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d{1,3}\.\d{1,3}(?![\d‹])/g;
const PRIVATE_IPV6 =
  /(?<![0-9A-Za-z:.›])(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f])(?::[0-9a-f]{0,4}){2,7}(?:%[a-z0-9]{1,16})?/gi;
const LOCAL_NAMES = ['.local', '.lan', '.internal', '.home.arpa'];
const HOST = new CharSet(/[A-Za-z0-9-]/);
const NO_HOSTS = new Set(['env', 'this', 'self', 'window', 'module', 'settings', 'config']);

/** Addresses that mean something only in the network they are of, and names in it. */
export function* findPrivateAddresses({ text }: TextRuns): Iterable<Match> {
  for (const pattern of [PRIVATE_IPV4, PRIVATE_IPV6]) {
    for (const match of text.matchAll(pattern)) {
      yield { kind: 'address', group: 'address', start: match.index, end: match.index + match[0].length };
    }
  }
  for (const suffix of LOCAL_NAMES) {
    for (let at = text.indexOf(suffix); at >= 0; at = text.indexOf(suffix, at + suffix.length)) {
      const end = at + suffix.length;
      if (/^(?:[A-Za-z0-9_-]|\.[A-Za-z0-9]|‹)/.test(text.slice(end, end + 2))) continue;
      let start = at;
      while (start > 0 && at - start < 63 && HOST.has(text.charCodeAt(start - 1))) start -= 1;
      if (text.charAt(start - 1) === '\\' && /[nrtbf]/.test(text.charAt(start))) start += 1;
      const before = text.charAt(start - 1);
      if (
        start === at ||
        before === '›' ||
        before === '_' ||
        NO_HOSTS.has(text.slice(start, at).toLowerCase())
      ) {
        continue;
      }
      yield { kind: 'address', group: 'address', start, end };
    }
  }
}
