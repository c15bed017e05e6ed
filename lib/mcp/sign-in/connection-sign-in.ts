import type * as Sdk from '@modelcontextprotocol/client';
import type { HttpServer } from '../../api/mcp.ts';
import type { AppError } from '../../errors/app-error.ts';
import type { Secret } from '../secrets.ts';

/** The token of one connection, for the library. */
export interface ConnectionSignIn extends Sdk.AuthProvider {
  /** Records the token of a refused request. The connection may already use a newer one. */
  refused(response: Response, token: string): void;
  /** The message for an error that asks for further permissions; `undefined` for any other. */
  insufficient(error: unknown): AppError | undefined;
}

export interface TokenRequest {
  /** The server's name. */
  name: string;
  url: string;
  sdk: typeof Sdk;
  /** The client that a person registered. */
  client: HttpServer['oauth'];
  /** Receives each token, so that it can be masked. */
  onSecret(secret: Secret): void;
}

/** The source of tokens for connections. */
export interface Tokens {
  /** The token for a connection to an address. After a refusal, the first refused connection renews it once. */
  forConnection(request: TokenRequest): ConnectionSignIn;
}
