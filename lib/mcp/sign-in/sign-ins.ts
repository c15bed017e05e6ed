import type * as Sdk from '@modelcontextprotocol/client';
import type { FinishMcpSignInRequest, HttpServer } from '../../api/mcp.ts';
import { AppError } from '../../errors/app-error.ts';
import { OneAtATime } from '../../util/one-at-a-time.ts';
import { cleanLine } from '../clean-text.ts';
import { loadSdk } from '../sdk.ts';
import type { ConnectionSignIn, TokenRequest, Tokens } from './connection-sign-in.ts';
import { mayUseAddress, oauthFetch } from './oauth-fetch.ts';
import { PendingSignIn } from './pending-sign-in.ts';
import { SignInFile, type StoredSignIn } from './sign-in-file.ts';

/** How long a person may take to sign in, in milliseconds. */
const PENDING_MS = 15 * 60_000;
const MAX_PENDING = 20;
const MAX_WHY_CHARS = 300;
const HEADER_HINT = 'If the server takes a token in a header, enter that header in its form instead.';

/** What a server said when it refused a request: where its metadata is, and what it wants to be allowed. */
interface Challenge {
  resourceMetadataUrl?: URL | undefined;
  scope?: string | undefined;
}

interface Pending {
  name: string;
  url: URL;
  challenge: Challenge;
  provider: PendingSignIn;
  until: number;
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
  readonly #challenges = new Map<string, Challenge>();
  readonly #refreshing = new OneAtATime();

  constructor(options: { dataDir: string; now?: () => number }) {
    this.#file = new SignInFile(options.dataDir);
    this.#now = options.now ?? (() => performance.now());
  }

  /** The addresses that there are tokens for, by server. @throws {AppError} `mcp_config_unreadable` */
  async signedIn(): Promise<ReadonlyMap<string, string>> {
    return new Map([...(await this.#file.all())].map(([name, { url }]) => [name, url]));
  }

  /** @throws {AppError} `mcp_config_unreadable`, `storage_full` */
  async forget(name: string): Promise<void> {
    await this.#file.save(name, undefined);
  }

  /**
   * Asks a server where to sign in, and registers Loupe there if it isn't (RFC 9728, RFC 8414, RFC 7591).
   *
   * @param options.url the server's address
   * @param options.redirectUrl where the browser comes back to
   * @param options.client a client that a person registered; otherwise Loupe registers itself
   * @returns the address to open
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
  }): Promise<URL> {
    const server = URL.parse(url);
    if (!server) throw failed(name, 'Its address is not valid.');
    const stored = (await this.#file.all()).get(name);
    const known = stored?.url === server.href && stored.redirect_url === redirectUrl ? stored : undefined;
    const sdk = await loadSdk();
    const challenge = this.#challenges.get(name) ?? {};
    // Permissions that were granted before are asked for again beside the new ones.
    const scope = sdk.computeScopeUnion(known?.tokens.scope, challenge.scope);
    const pending: Pending = {
      name,
      url: server,
      challenge: { ...challenge, scope },
      provider: new PendingSignIn(redirectUrl, client ?? known?.client),
      until: this.#now() + PENDING_MS,
    };
    await this.#authorize(sdk, pending, {});
    const { address } = pending.provider;
    if (!address || !mayUseAddress(address, server)) {
      throw failed(name, address ? `It names ${address.origin}, which is not encrypted.` : 'It named none.');
    }
    this.#remember(pending);
    return address;
  }

  #remember(pending: Pending): void {
    for (const [state, { name, until }] of this.#pending) {
      if (name === pending.name || until < this.#now()) this.#pending.delete(state);
    }
    const [oldest] = this.#pending.keys();
    if (this.#pending.size >= MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    this.#pending.set(pending.provider.value, pending);
  }

  /**
   * Exchanges the code that the browser came back with for tokens.
   *
   * @returns the name of the server
   * @throws {AppError} `mcp_sign_in_expired`, `mcp_sign_in_failed`, `storage_full`
   */
  async finish({ state, code, iss, error, error_description }: FinishMcpSignInRequest): Promise<string> {
    const pending = this.#pending.get(state);
    this.#pending.delete(state);
    if (!pending || pending.until < this.#now()) {
      throw new AppError({
        code: 'mcp_sign_in_expired',
        message: 'This sign-in has expired, or it was completed before.',
        hint: 'Press "Sign in" on the Tools page again.',
      });
    }
    const { name, url, provider } = pending;
    if (code === undefined) {
      throw failed(name, cleanLine([error, error_description].filter(Boolean).join(': '), MAX_WHY_CHARS));
    }
    await this.#authorize(await loadSdk(), pending, { authorizationCode: code, iss });
    const { client, granted, resource, discovered } = provider;
    if (!client || !granted || !discovered) throw failed(name, 'It granted no token.');
    await this.#file.save(name, {
      url: url.href,
      redirect_url: provider.redirectUrl,
      authorization_server: discovered.authorizationServerUrl,
      ...(resource !== undefined && { resource }),
      client,
      tokens: granted,
    });
    this.#challenges.delete(name);
    return name;
  }

  async #authorize(
    sdk: typeof Sdk,
    { name, url, challenge, provider }: Pending,
    answer: { authorizationCode?: string; iss?: string | undefined },
  ): Promise<void> {
    let refused: string | undefined;
    const fetchFn = oauthFetch({
      server: url,
      onRefused: (why) => {
        refused ??= why;
      },
    });
    try {
      await sdk.auth(provider, { serverUrl: url, ...challenge, ...answer, fetchFn });
    } catch (cause) {
      const hint = answer.authorizationCode === undefined ? HEADER_HINT : undefined;
      throw failed(name, refused ?? cleanLine(wordsOf(cause), MAX_WHY_CHARS), {
        ...(hint && { hint }),
        cause,
      });
    }
  }

  forConnection({ name, url, sdk, onSecret }: TokenRequest): ConnectionSignIn {
    let used: string | undefined;
    return {
      token: async () => {
        const tokens = (await this.#stored(name, url))?.tokens;
        used = tokens?.access_token;
        for (const value of [tokens?.access_token, tokens?.refresh_token]) {
          if (value !== undefined) onSecret({ name: 'token', value });
        }
        return used;
      },
      onUnauthorized: async ({ response }) => {
        const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
        this.#challenges.set(name, { resourceMetadataUrl, scope });
        const refused = used;
        await this.#refreshing.run(() => this.#renew(name, url, refused));
      },
      insufficient: (error) => {
        if (!(error instanceof sdk.InsufficientScopeError)) return undefined;
        const { requiredScope: scope, resourceMetadataUrl } = error;
        this.#challenges.set(name, { scope, resourceMetadataUrl });
        return needed(name, 'needs more permissions.');
      },
    };
  }

  async #stored(name: string, url: string): Promise<StoredSignIn | undefined> {
    const stored = (await this.#file.all()).get(name);
    return stored?.url === new URL(url).href ? stored : undefined;
  }

  /** Replaces a token that was refused, unless that has happened. @throws {AppError} `mcp_sign_in_needed` */
  async #renew(name: string, url: string, refused: string | undefined): Promise<void> {
    const stored = await this.#stored(name, url);
    if (!stored) throw needed(name, 'requires you to sign in.');
    if (stored.tokens.access_token !== refused) return;
    const { refresh_token: refreshToken } = stored.tokens;
    if (refreshToken === undefined) throw needed(name, 'no longer accepts your sign-in.');
    const sdk = await loadSdk();
    const fetchFn = oauthFetch({ server: new URL(url), onRefused: () => undefined });
    try {
      const metadata = await sdk.discoverAuthorizationServerMetadata(stored.authorization_server, {
        fetchFn,
      });
      if (stored.client.issuer !== undefined && metadata && metadata.issuer !== stored.client.issuer) {
        throw needed(name, 'has another place to sign in now.');
      }
      const tokens = await sdk.refreshAuthorization(stored.authorization_server, {
        ...(metadata && { metadata }),
        clientInformation: stored.client,
        refreshToken,
        ...(stored.resource !== undefined && { resource: new URL(stored.resource) }),
        fetchFn,
      });
      await this.#file.save(name, {
        ...stored,
        tokens: { ...tokens, scope: tokens.scope ?? stored.tokens.scope },
      });
    } catch (error) {
      if (!(error instanceof sdk.OAuthError)) throw error;
      throw needed(name, 'no longer accepts your sign-in.', error);
    }
  }
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
    message: `Signing in to "${name}" failed: ${/[.!?)]$/.test(why) ? why : `${why}.`}`,
    hint,
    cause,
  });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
