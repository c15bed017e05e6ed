import { isIP } from 'node:net';

/** The address on which shared runs are served, and the base URL of links to them. */
export interface ShareSettings {
  /** Loopback by default (LOUPE_SHARE_BIND). */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The base URL of links, without a trailing slash, if a proxy or tunnel forwards to the listener. */
  readonly url: string | undefined;
  /** The header in which a proxy sends the client's address; such headers are ignored if this is not set. */
  readonly clientHeader: string | undefined;
}

/** Reads LOUPE_SHARE_BIND (`host:port`), LOUPE_SHARE_URL and LOUPE_SHARE_CLIENT_HEADER; adds errors to `problems`. */
export function readShareSettings(
  env: Readonly<Record<string, string | undefined>>,
  options: { defaultPort: number; problems: string[] },
): ShareSettings {
  const { defaultPort, problems } = options;
  const bind = env.LOUPE_SHARE_BIND?.trim();
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(bind ?? '');
  const host = match?.[1] ?? match?.[2] ?? '127.0.0.1';
  const port = Number(match?.[3] ?? defaultPort);
  if (bind && (!match || port > 65_535 || (isIP(host) === 0 && host !== 'localhost'))) {
    problems.push(
      `LOUPE_SHARE_BIND is "${bind}"; it must be an address of this machine and a port, for example 0.0.0.0:4121.`,
    );
  }
  return {
    host,
    port,
    url: readUrl(env.LOUPE_SHARE_URL?.trim(), problems),
    clientHeader: readHeaderName(env.LOUPE_SHARE_CLIENT_HEADER?.trim(), problems),
  };
}

function readHeaderName(text: string | undefined, problems: string[]): string | undefined {
  if (!text) return undefined;
  if (/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(text)) return text.toLowerCase();
  problems.push(
    `LOUPE_SHARE_CLIENT_HEADER is "${text}"; it must be the name of a header, for example X-Forwarded-For.`,
  );
  return undefined;
}

function readUrl(text: string | undefined, problems: string[]): string | undefined {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (plain && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/+$/, '');
  problems.push(`LOUPE_SHARE_URL is "${text}"; it must be an address like https://runs.example.com.`);
  return undefined;
}
