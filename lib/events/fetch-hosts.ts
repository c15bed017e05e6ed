/** Hosts in the list of a run. */
export const MAX_FETCH_HOSTS = 50;
const MAX_HOST_CHARS = 260;

/** A host that `fetch_url` may ask. */
export interface FetchHost {
  /** As URLs have it: lower case, IPv6 addresses in brackets. */
  readonly hostname: string;
  /** Missing: the usual port of http and of https. */
  readonly port?: number;
}

/**
 * Reads an entry of the list: a host name or an IP address, with a port where it is not the usual one. Pure.
 *
 * @returns `undefined` if it is anything else, such as a URL with a path, a user name or a pattern
 */
export function readFetchHost(entry: string): FetchHost | undefined {
  if (entry.length > MAX_HOST_CHARS || /[\s/?#@\\*]/.test(entry)) return undefined;
  const url = URL.parse(`http://${entry}`);
  if (!url || url.hostname === '') return undefined;
  // A URL leaves out the usual port of its scheme, so port 80 is read from the text.
  const written = /:(\d{1,5})$/.exec(entry)?.[1];
  const port = url.port === '' ? written : url.port;
  return { hostname: plainHostname(url.hostname), ...(port === undefined ? {} : { port: Number(port) }) };
}

/** The problem of an entry in the list; `undefined` if there is none. */
export function fetchHostProblem(entry: string): string | undefined {
  return readFetchHost(entry)
    ? undefined
    : `"${entry.slice(0, 80)}" is not a host. Enter a name or an address, with a port if it is not 80 or 443: docs.example.com, 127.0.0.1:8080.`;
}

/** The entries of a text, such as a field of a form: separated by blanks, commas or lines. */
export function splitHosts(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
}

/** Whether a list names the host and port of a URL. Pure. */
export function isListedUrl(url: URL, hosts: readonly FetchHost[]): boolean {
  return isListed(plainHostname(url.hostname), portOf(url), hosts);
}

/** Whether a list names a host, given as URLs have it, with this port. Pure. */
export function isListed(hostname: string, port: number, hosts: readonly FetchHost[]): boolean {
  return hosts.some(
    (host) =>
      host.hostname === hostname &&
      (host.port === undefined ? port === 80 || port === 443 : host.port === port),
  );
}

/** The port in a URL, or the default of its scheme. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Without the dot that marks a name as complete: `localhost.` is `localhost`. */
function plainHostname(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}
