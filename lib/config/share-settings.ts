import { isIP } from 'node:net';

/** Where shared runs are served, and how links to them begin. */
export interface ShareSettings {
  /** Loopback unless LOUPE_SHARE_BIND says otherwise. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The beginning of links, without a slash at the end: where a proxy or a tunnel leads to the listener. */
  readonly url: string | undefined;
}

/** Reads LOUPE_SHARE_BIND (`host:port`) and LOUPE_SHARE_URL; what is wrong is added to `problems`. */
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
  return { host, port, url: readUrl(env.LOUPE_SHARE_URL?.trim(), problems) };
}

function readUrl(text: string | undefined, problems: string[]): string | undefined {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (plain && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/+$/, '');
  problems.push(`LOUPE_SHARE_URL is "${text}"; it must be an address like https://runs.example.com.`);
  return undefined;
}
