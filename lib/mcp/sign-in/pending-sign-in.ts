import { randomBytes } from 'node:crypto';
import type * as Sdk from '@modelcontextprotocol/client';

/**
 * A sign-in that a person has begun, for the library's authorization code flow with PKCE (RFC 6749, RFC 7636). It is kept
 * in memory only, so a restart means starting over.
 */
export class PendingSignIn implements Sdk.OAuthClientProvider {
  readonly redirectUrl: string;
  /** The state that binds the browser's redirect to this sign-in. */
  readonly value = randomBytes(32).toString('base64url');
  /** The page on which the person signs in. */
  address: URL | undefined;
  client: Sdk.StoredOAuthClientInformation | undefined;
  resource: string | undefined;
  discovered: Sdk.OAuthDiscoveryState | undefined;
  #verifier = '';

  /** @param client a registration with the same redirect address */
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
      // A program on a person's machine cannot keep a client secret (RFC 8252, section 8.4).
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.value;
  }

  clientInformation(at?: Sdk.OAuthClientInformationContext): Sdk.StoredOAuthClientInformation | undefined {
    // A client registered by a person belongs to the authorization server at which the sign-in begins.
    if (this.client && at) this.client = { ...this.client, issuer: this.client.issuer ?? at.issuer };
    return this.client;
  }

  saveClientInformation(client: Sdk.StoredOAuthClientInformation): void {
    this.client = client;
  }

  /** None, because a sign-in requests new tokens. */
  tokens(): undefined {
    return undefined;
  }

  /** None, because the flow ends before it requests tokens. */
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
