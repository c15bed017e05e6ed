import type * as Sdk from '@modelcontextprotocol/client';
import type { FinishMcpSignInRequest, HttpServer, McpSignInReply } from '../../api/mcp.ts';
import { AppError } from '../../errors/app-error.ts';
import { errorMessage } from '../../util/error-message.ts';
import { OneAtATime } from '../../util/one-at-a-time.ts';
import { cleanLine, sentence } from '../clean-text.ts';
import { loadSdk } from '../sdk.ts';
import { SecretMask } from '../secrets.ts';
import type { ConnectionSignIn, TokenRequest, Tokens } from './connection-sign-in.ts';
import { mayUseAddress, oauthFetch, refusedAddress } from './oauth-fetch.ts';
import { PendingSignIn } from './pending-sign-in.ts';
import { SignInFile, type StoredSignIn } from './sign-in-file.ts';

/** How long a person may take to sign in, in milliseconds. */
const PENDING_MS = 15 * 60_000;
const MAX_PENDING = 20;
const MAX_WHY_CHARS = 300;
/** Longer than any browser or server accepts. */
const MAX_ADDRESS_CHARS = 8000;
const MAX_TOKEN_CHARS = 20_000;
/** The characters allowed in a header (RFC 6749, appendix A.12). */
const ACCESS_TOKEN = /^[\x21-\x7e]+$/;
const HEADER_HINT = 'If the server takes a token in a header, enter that header in its form instead.';

/** A server's challenge when it refused a request: the location of its metadata, and the required permissions. */
interface Challenge {
  resourceMetadataUrl?: URL | undefined;
  scope?: string | undefined;
}

interface Pending {
  name: string;
  url: URL;
  challenge: Challenge;
  provider: PendingSignIn;
  /** Whether a person registered the client. Its secret is then only in the configuration. */
  isOwnClient: boolean;
  until: number;
}

/** A token that only a person can replace, and the message about it. */
interface SpentToken {
  token: string | undefined;
  problem: AppError;
}

/** The state of a sign-in, as a page shows it. */
export interface SignedIn {
  url: string;
  problem: AppError | undefined;
}

/** A completed sign-in that is not stored yet. */
export interface NewSignIn {
  name: string;
  signIn: StoredSignIn;
}

/**
 * Sign-ins at MCP servers (docs/decisions/0078). A server is asked where to sign in only when a person begins a sign-in; after
 * that, its authorization server is asked for nothing but new tokens.
 */
export class SignIns implements Tokens {
  readonly #file: SignInFile;
  readonly #now: () => number;
  /** By state. */
  readonly #pending = new Map<string, Pending>();
  /** By address. */
  readonly #challenges = new Map<string, Challenge>();
  /** By server, so that none waits for the authorization server of another. */
  readonly #refreshing = new Map<string, OneAtATime>();
  readonly #spent = new Map<string, SpentToken>();
  /** The servers whose last sign-in failed: their registrations may be invalid. */
  readonly #unfinished = new Set<string>();

  constructor(options: { dataDir: string; now?: () => number }) {
    this.#file = new SignInFile(options.dataDir);
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * The addresses with tokens, by server, and why only a person can replace a token.
   *
   * @throws {AppError} `mcp_config_unreadable`
   */
  async signedIn(): Promise<ReadonlyMap<string, SignedIn>> {
    return new Map(
      [...(await this.#file.all())].map(([name, { url, tokens }]) => {
        const spent = this.#spent.get(name);
        return [name, { url, problem: spent?.token === tokens.access_token ? spent.problem : undefined }];
      }),
    );
  }

  /**
   * Forgets the tokens of a server, and a pending sign-in. @throws {AppError} `mcp_config_unreadable`, `storage_full`
   */
  async forget(name: string): Promise<void> {
    this.#forgetPending((pending) => pending.name === name);
    await this.#file.change(name, () => undefined);
  }

  /**
   * Asks a server where to sign in, and registers Loupe there if needed (RFC 9728, RFC 8414, RFC 7591).
   *
   * @param options.url the server's address
   * @param options.redirectUrl where the browser comes back to
   * @param options.client a client that a person registered; otherwise Loupe registers itself
   * @returns the address to open, and the host of the token endpoint if that is another: a server can combine the sign-in page of
   *   an honest service with its own token endpoint, to get the code that is meant for the service
   * @throws {AppError} `mcp_sign_in_failed`
   */
  async begin({
    name,
    url,
    redirectUrl,
    client,
  }: {
    name: string;
    url: string;
    redirectUrl: string;
    client?: HttpServer['oauth'];
  }): Promise<McpSignInReply> {
    const server = URL.parse(url);
    if (!server) throw failed(name, 'Its address is not valid.');
    const stored = (await this.#file.all()).get(name);
    const known = stored?.url === server.href && stored.redirect_url === redirectUrl ? stored : undefined;
    const sdk = await loadSdk();
    const challenge = this.#challenges.get(server.href) ?? {};
    // Previously granted permissions are requested again together with the new ones.
    const scope = sdk.computeScopeUnion(known?.tokens.scope, challenge.scope);
    const registered = this.#unfinished.has(name) ? undefined : known?.client;
    this.#unfinished.add(name);
    const pending: Pending = {
      name,
      url: server,
      challenge: { ...challenge, scope },
      provider: new PendingSignIn(redirectUrl, client ?? registered),
      isOwnClient: client !== undefined,
      until: this.#now() + PENDING_MS,
    };
    await during(pending, HEADER_HINT, (fetchFn) =>
      sdk.auth(pending.provider, { serverUrl: server, ...pending.challenge, fetchFn }),
    );
    const { address } = pending.provider;
    if (!address) throw failed(name, 'It named none.');
    if (!mayUseAddress(address, server)) throw failed(name, refusedAddress(address));
    if (address.href.length > MAX_ADDRESS_CHARS) throw failed(name, 'It named an address that is too long.');
    this.#forgetPending((other) => other.name === name || other.until < this.#now());
    const [oldest] = this.#pending.keys();
    if (this.#pending.size >= MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    this.#pending.set(pending.provider.value, pending);
    const tokenHost = tokenHostOf(pending.provider);
    return { address: address.href, ...(tokenHost !== address.host && { token_host: tokenHost }) };
  }

  #forgetPending(isOver: (pending: Pending) => boolean): void {
    for (const [state, pending] of this.#pending) if (isOver(pending)) this.#pending.delete(state);
  }

  /**
   * Exchanges the code from the browser's redirect for tokens. Nothing is stored yet: see `keep`.
   *
   * @throws {AppError} `mcp_sign_in_expired`, `mcp_sign_in_failed`
   */
  async finish({ state, code, iss, error, error_description }: FinishMcpSignInRequest): Promise<NewSignIn> {
    const pending = this.#pending.get(state);
    this.#pending.delete(state);
    if (!pending || pending.until < this.#now()) {
      throw expired('This sign-in has expired, or it was completed before.');
    }
    const { name, url, provider } = pending;
    if (code === undefined) {
      const why = cleanLine([error, error_description].filter(Boolean).join(': '), MAX_WHY_CHARS);
      throw failed(name, why || 'The browser came back without a code.');
    }
    const { client, resource, discovered } = provider;
    if (!client || !discovered) throw failed(name, 'It granted no token.');
    const sdk = await loadSdk();
    const { authorizationServerUrl, authorizationServerMetadata: metadata } = discovered;
    // Without the library's complete flow, which sends a refused code twice and logs the responses.
    const tokens = await during(pending, undefined, (fetchFn) =>
      sdk.exchangeAuthorization(authorizationServerUrl, {
        ...(metadata && { metadata }),
        clientInformation: client,
        authorizationCode: code,
        iss,
        codeVerifier: provider.codeVerifier(),
        redirectUri: provider.redirectUrl,
        ...(resource !== undefined && { resource }),
        fetchFn,
      }),
    );
    if (!areUsable(tokens)) throw failed(name, 'It granted a token that cannot be sent.');
    const { client_secret: _, ...withoutSecret } = client;
    const signIn = {
      url: url.href,
      redirect_url: provider.redirectUrl,
      authorization_server: authorizationServerUrl,
      ...(resource !== undefined && { resource }),
      client: pending.isOwnClient ? withoutSecret : client,
      tokens,
    };
    return { name, signIn };
  }

  /**
   * Stores a sign-in for a server.
   *
   * @param address the server's current address
   * @throws {AppError} `mcp_sign_in_expired` if the sign-in was begun at another address; `storage_full`
   */
  async keep({ name, signIn }: NewSignIn, address: string | undefined): Promise<void> {
    if (address !== signIn.url) {
      throw expired(`The address of the server "${name}" has changed since this sign-in was begun.`);
    }
    await this.#file.change(name, () => signIn);
    this.#challenges.delete(signIn.url);
    this.#unfinished.delete(name);
  }

  forConnection({ name, url, sdk, client, onSecret }: TokenRequest): ConnectionSignIn {
    const { href } = new URL(url);
    let used: string | undefined;
    const refusals = new WeakMap<Response, string>();
    return {
      refused: (response, token) => void refusals.set(response, token),
      token: async () => {
        const tokens = (await this.#stored(name, href))?.tokens;
        used = tokens?.access_token;
        for (const value of [tokens?.access_token, tokens?.refresh_token]) {
          if (value !== undefined) onSecret({ name: 'token', value });
        }
        return used;
      },
      onUnauthorized: async ({ response }) => {
        const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
        // Permissions that a call turned out to need are still needed.
        const before = this.#challenges.get(href);
        this.#challenges.set(href, { resourceMetadataUrl, scope: scope ?? before?.scope });
        const refused = refusals.get(response) ?? used;
        const queue = this.#refreshing.get(name) ?? new OneAtATime();
        this.#refreshing.set(name, queue);
        await queue.run(() => this.#renew({ name, href, client }, refused));
      },
      insufficient: (error) => {
        if (!(error instanceof sdk.InsufficientScopeError)) return undefined;
        const { requiredScope: scope, resourceMetadataUrl } = error;
        this.#challenges.set(href, { scope, resourceMetadataUrl });
        return this.#needed(name, used, 'needs more permissions.');
      },
    };
  }

  async #stored(name: string, href: string): Promise<StoredSignIn | undefined> {
    const stored = (await this.#file.all()).get(name);
    return stored?.url === href ? stored : undefined;
  }

  #needed(name: string, token: string | undefined, what: string, cause?: unknown): AppError {
    const problem = needed(name, what, cause);
    this.#spent.set(name, { token, problem });
    return problem;
  }

  /**
   * Replaces a refused token, unless it was already replaced.
   *
   * @throws {AppError} `mcp_sign_in_needed`; `mcp_sign_in_failed` if it may succeed later
   */
  async #renew(server: Renewed, refused: string | undefined): Promise<void> {
    const { name, href } = server;
    const stored = await this.#stored(name, href);
    if (!stored) throw needed(name, 'requires you to sign in.');
    if (stored.tokens.access_token !== refused) return;
    const sdk = await loadSdk();
    try {
      const tokens = await this.#renewed(sdk, server, stored);
      // A sign-in that was deleted or replaced in the meantime stays deleted or replaced.
      await this.#file.change(name, (present) =>
        present?.tokens.access_token === refused ? { ...present, tokens } : present,
      );
      if (!(await this.#stored(name, href))) throw needed(name, 'requires you to sign in.');
    } catch (error) {
      if (error instanceof AppError) throw error;
      // Another process with the same data directory may have been first: a refresh token can be valid for
      // only one use.
      const present = await this.#stored(name, href);
      if (present && present.tokens.access_token !== refused) return;
      if (isRefusal(sdk, error)) throw this.#needed(name, refused, 'no longer accepts your sign-in.', error);
      const why = secretsOf(stored.client, stored.tokens).text(
        error instanceof sdk.OAuthError ? error.code : errorMessage(error),
      );
      throw new AppError({
        code: 'mcp_sign_in_failed',
        message: sentence(`Your sign-in at "${name}" could not be renewed: ${cleanLine(why, MAX_WHY_CHARS)}`),
        hint: 'Try again later, or sign out on the Tools page and sign in again.',
        cause: error,
      });
    }
  }

  async #renewed(
    sdk: typeof Sdk,
    { name, href, client }: Renewed,
    { tokens, client: known, authorization_server: at, resource }: StoredSignIn,
  ): Promise<StoredSignIn['tokens']> {
    const { access_token: refused, refresh_token: refreshToken, scope } = tokens;
    if (refreshToken === undefined) throw this.#needed(name, refused, 'no longer accepts your sign-in.');
    const fetchFn = oauthFetch({ server: new URL(href), onRefused: () => undefined });
    const metadata = await sdk.discoverAuthorizationServerMetadata(at, { fetchFn });
    if (known.issuer !== undefined && metadata && metadata.issuer !== known.issuer) {
      throw this.#needed(name, refused, 'has another place to sign in now.');
    }
    const renewed = await sdk.refreshAuthorization(at, {
      ...(metadata && { metadata }),
      clientInformation: { ...known, ...(client?.client_id === known.client_id && client) },
      refreshToken,
      ...(resource !== undefined && { resource }),
      fetchFn,
    });
    if (!areUsable(renewed)) throw this.#needed(name, refused, 'no longer accepts your sign-in.');
    return { ...renewed, scope: renewed.scope ?? scope };
  }
}

function tokenHostOf({ discovered }: PendingSignIn): string | undefined {
  const endpoint = discovered?.authorizationServerMetadata?.token_endpoint;
  return URL.parse(endpoint ?? discovered?.authorizationServerUrl ?? '')?.host;
}

/** The server that a token is renewed for. */
interface Renewed {
  name: string;
  href: string;
  client: HttpServer['oauth'];
}

/** Runs a step of a sign-in. @throws {AppError} `mcp_sign_in_failed` */
async function during<T>(
  { name, url, provider }: Pending,
  hint: string | undefined,
  step: (fetchFn: ReturnType<typeof oauthFetch>) => Promise<T>,
): Promise<T> {
  let refused: string | undefined;
  const onRefused = (why: string) => {
    refused ??= why;
  };
  try {
    return await step(oauthFetch({ server: url, onRefused }));
  } catch (cause) {
    const why = refused ?? secretsOf(provider.client).text(errorMessage(cause));
    throw failed(name, cleanLine(why, MAX_WHY_CHARS), { ...(hint && { hint }), cause });
  }
}

/** Whether the authorization server refused permanently. */
function isRefusal({ OAuthError, OAuthErrorCode }: typeof Sdk, error: unknown): boolean {
  const { ServerError, TemporarilyUnavailable, TooManyRequests } = OAuthErrorCode;
  const later: string[] = [ServerError, TemporarilyUnavailable, TooManyRequests];
  return error instanceof OAuthError && !later.includes(error.code);
}

/** Whether tokens fit into a header and into the file, and are of the type that is sent (RFC 6750). */
function areUsable({
  access_token: access,
  token_type: type,
  refresh_token: refresh = '',
  scope = '',
}: Sdk.OAuthTokens): boolean {
  const isShort = [access, refresh, scope].every((each) => each.length <= MAX_TOKEN_CHARS);
  return isShort && ACCESS_TOKEN.test(access) && type.toLowerCase() === 'bearer';
}

/** Values sent to an authorization server, which it may repeat in an error. */
function secretsOf(
  client: Sdk.StoredOAuthClientInformation | undefined,
  tokens?: StoredSignIn['tokens'],
): SecretMask {
  const secrets = [
    { name: 'client_secret', value: client?.client_secret },
    { name: 'token', value: tokens?.access_token },
    { name: 'token', value: tokens?.refresh_token },
  ];
  return new SecretMask(secrets.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }])));
}

function expired(message: string): AppError {
  return new AppError({
    code: 'mcp_sign_in_expired',
    message,
    hint: 'Press "Sign in" on the Tools page again.',
  });
}

function needed(name: string, what: string, cause?: unknown): AppError {
  return new AppError({
    code: 'mcp_sign_in_needed',
    message: `The server "${name}" ${what}`,
    hint: 'Press "Sign in" on the Tools page.',
    cause,
  });
}

function failed(
  name: string,
  why: string,
  { hint, cause }: { hint?: string; cause?: unknown } = {},
): AppError {
  return new AppError({
    code: 'mcp_sign_in_failed',
    message: sentence(`Signing in to "${name}" failed: ${why}`),
    hint,
    cause,
  });
}
