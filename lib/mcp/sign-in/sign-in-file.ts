import { join } from 'node:path';
import { z } from 'zod';
import { OneAtATime } from '../../util/one-at-a-time.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';

/** The result of a sign-in. Fields are named as in RFC 6749 and RFC 7591. */
const storedSignIn = z.object({
  /** The address that the token is for; it is sent nowhere else. */
  url: z.string(),
  /** The redirect address; a registration is valid for this address only. */
  redirect_url: z.string(),
  authorization_server: z.string(),
  /** RFC 8707, as the server's metadata has it. */
  resource: z.string().optional(),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
    issuer: z.string().optional(),
  }),
  tokens: z.object({
    access_token: z.string(),
    token_type: z.string(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
  }),
});
export type StoredSignIn = z.output<typeof storedSignIn>;

const signInFile = z.object({ servers: z.record(z.string(), storedSignIn) });

/**
 * The sign-ins of servers by name, in a file of the data directory that only its owner can read. It is read on each
 * use, because another process may have replaced a token.
 */
export class SignInFile {
  readonly #path: string;
  readonly #writing = new OneAtATime();

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'mcp-sign-ins.json');
  }

  /** @throws {AppError} `mcp_config_unreadable` */
  async all(): Promise<ReadonlyMap<string, StoredSignIn>> {
    const file = await readPrivateFile(this.#path, signInFile);
    return new Map(Object.entries(file?.servers ?? {}));
  }

  /**
   * Replaces the sign-in of a server by what `next` makes of the current one, as one step.
   *
   * @param next returns `undefined` to remove the sign-in
   * @throws {AppError} `mcp_config_unreadable`, `storage_full`
   */
  async change(
    name: string,
    next: (present: StoredSignIn | undefined) => StoredSignIn | undefined,
  ): Promise<void> {
    await this.#writing.run(async () => {
      const all = new Map(await this.all());
      const present = all.get(name);
      const changed = next(present);
      if (changed === present) return;
      // Drops other fields that an authorization server sent.
      if (changed) all.set(name, storedSignIn.parse(changed));
      else all.delete(name);
      await writePrivateFile(this.#path, { servers: Object.fromEntries(all) });
    });
  }
}
