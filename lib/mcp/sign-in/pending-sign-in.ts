import { randomBytes } from 'node:crypto';
import type * as Sdk from '@modelcontextprotocol/client';

/**
 * A sign-in that a person has begun, for the library's authorization code flow with PKCE (RFC 6749, RFC 7636). It is kept
 * in memory only, so a restart means starting over.
 */
export class PendingSignIn implements Sdk.OAuthClientProvider {
  readonly redirectUrl: string;
  /** Binds the address that the browser comes back with to this sign-in. */
  readonly value = randomBytes(32).toString('base64url');
  /** Where the person signs in. */
  address: URL | undefined;
  client: Sdk.StoredOAuthClientInformation | undefined;
  resource: string | undefined;
  discovered: Sdk.OAuthDiscoveryState | undefined;
  #verifier = '';

  /** @param client a registration for the same address to come back to */
  constructor(redirectUrl: string, client: Sdk.StoredOAuthClientInformation | undefined) {
    this.redirectUrl = redirectUrl;
    this.client = client;
  }

  get clientMetadata(): Sdk.OAuthClientMetadata {
    return {
      client_name: 'Loupe',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // A program on a person's machine cannot keep a secret of its own (RFC 8252, section 8.4).
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.value;
  }

  clientInformation(at?: Sdk.OAuthClientInformationContext): Sdk.StoredOAuthClientInformation | undefined {
    // A client that a person registered is for the authorization server that the sign-in begins at.
    if (this.client && at) this.client = { ...this.client, issuer: this.client.issuer ?? at.issuer };
    return this.client;
  }

  saveClientInformation(client: Sdk.StoredOAuthClientInformation): void {
    this.client = client;
  }

  /** None: a sign-in asks for new ones. */
  tokens(): undefined {
    return undefined;
  }

  /** None: the flow is left before it asks for tokens. */
  saveTokens(): void {}

  redirectToAuthorization(address: URL): void {
    this.address = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveResourceUrl(resource: string): void {
    this.resource = resource;
  }

  saveDiscoveryState(state: Sdk.OAuthDiscoveryState): void {
    this.discovered = state;
  }

  discoveryState(): Sdk.OAuthDiscoveryState | undefined {
    return this.discovered;
  }
}
