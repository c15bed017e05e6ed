import { BlockList, isIP } from 'node:net';
import { AppError } from '../errors/app-error.ts';

/** The address of an Ollama server. */
export interface OllamaHost {
  /** `http://127.0.0.1:11434`: scheme, host and port, a path prefix if there is one, no slash at the end. */
  readonly url: string;
  /** Host without brackets: `127.0.0.1`, `::1`, `localhost`. */
  readonly hostname: string;
  readonly port: number;
  /** Whether the address is local to this machine. */
  readonly loopback: boolean;
}

const DEFAULT_PORT = 11434;
const HINT = 'Set OLLAMA_HOST to a host and port such as 127.0.0.1:11434, or leave it empty.';

const loopbackAddresses = new BlockList();
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4');
loopbackAddresses.addAddress('::1', 'ipv6');

/** Whether an IP address never leaves this machine; understands `::ffff:127.0.0.1`. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopbackAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether the host of a URL is this machine: `localhost` or a loopback address, IPv6 with or without its brackets. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
}

/**
 * Reads OLLAMA_HOST the way Ollama does (T7): quotes and blanks around it are dropped; the scheme is optional; the port
 * is 11434 without a scheme, 80 after `http://`, 443 after `https://`; an empty value means `http://127.0.0.1:11434`.
 * Two differences, both because we are a client: `0.0.0.0` and `::` (listen everywhere) become the loopback address,
 * and a port that is not a number is an error instead of a silent default.
 *
 * @param options.allowRemote accept a host that is not this machine; off by default, since prompts and files would
 *   leave it
 * @throws {AppError} `ollama_host_invalid`, `ollama_host_v1` (a pasted OpenAI-style address), `ollama_host_remote`
 */
export function parseOllamaHost(
  value: string | undefined,
  options: { allowRemote?: boolean } = {},
): OllamaHost {
  const text = trimQuotes(value ?? '');
  const separator = text.indexOf('://');
  const scheme = separator < 0 ? 'http' : text.slice(0, separator).toLowerCase();
  if (scheme !== 'http' && scheme !== 'https')
    throw invalid(text, `the scheme "${scheme}" is not http or https`);

  const rest = separator < 0 ? text : text.slice(separator + 3);
  if (rest.includes('@')) throw invalid('(hidden)', 'it contains a user name or password');
  if (/[\s?#\\]/.test(rest)) throw invalid(text, 'it contains a space, "?", "#" or "\\"');

  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const path = slash < 0 ? '' : rest.slice(slash).replace(/\/+$/, '');
  rejectApiPath(text, path);

  const defaultPort = separator < 0 ? DEFAULT_PORT : scheme === 'https' ? 443 : 80;
  const { hostname, port } = splitAuthority(text, authority, defaultPort);
  const loopback = isLoopbackHost(hostname);
  if (!loopback && !options.allowRemote) {
    throw new AppError({
      code: 'ollama_host_remote',
      message: `OLLAMA_HOST points to "${hostname}", which is not this machine.`,
      hint: 'Prompts and file contents would be sent there. Use a loopback address, or allow a remote Ollama explicitly.',
    });
  }
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return { url: `${scheme}://${host}:${port}${path}`, hostname, port, loopback };
}

function trimQuotes(value: string): string {
  return value
    .trim()
    .replace(/^["']+|["']+$/g, '')
    .trim();
}

/** A prefix may contain `api`, as a gateway's does; only what Loupe adds itself must not be at its end. */
function rejectApiPath(text: string, path: string): void {
  if (/^\/v1(\/|$)|\/v1$/i.test(path)) {
    throw new AppError({
      code: 'ollama_host_v1',
      message: `OLLAMA_HOST is "${text}": that is the OpenAI-style address, which has no context size and cuts prompts silently.`,
      hint: 'Leave out /v1: Loupe speaks the native API, for example http://127.0.0.1:11434.',
    });
  }
  if (/\/api(\/(chat|generate|tags|show|ps|version))?$/i.test(path))
    throw invalid(text, "it ends in a path of Ollama's API, which Loupe adds itself");
}

function splitAuthority(
  text: string,
  authority: string,
  defaultPort: number,
): { hostname: string; port: number } {
  const bare = authority.startsWith('[') && authority.endsWith(']') ? authority.slice(1, -1) : authority;
  if (isIP(bare) !== 0) return { hostname: reachable(bare), port: defaultPort };

  const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([^:]*))?$/.exec(authority);
  if (!match) throw invalid(text, 'host and port cannot be distinguished');
  const hostname = (match[1] ?? match[2] ?? '').toLowerCase();
  if (match[1] !== undefined && isIP(match[1]) !== 6)
    throw invalid(text, `"${match[1]}" is not an IPv6 address`);
  if (!/^[a-z0-9._:-]*$/.test(hostname)) throw invalid(text, `"${hostname}" is not a host name`);
  return {
    hostname: reachable(hostname),
    port: match[3] === undefined ? defaultPort : parsePort(text, match[3]),
  };
}

function parsePort(text: string, port: string): number {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (!(number >= 1 && number <= 65_535))
    throw invalid(text, `the port "${port}" is not a number from 1 to 65535`);
  return number;
}

/** These mean "listen on all interfaces" to a server; a client needs a specific address. */
function reachable(hostname: string): string {
  if (hostname === '' || hostname === '0.0.0.0') return '127.0.0.1';
  return hostname === '::' ? '::1' : hostname;
}

function invalid(text: string, why: string): AppError {
  return new AppError({
    code: 'ollama_host_invalid',
    message: `OLLAMA_HOST is "${text}", which cannot be used: ${why}.`,
    hint: HINT,
  });
}
