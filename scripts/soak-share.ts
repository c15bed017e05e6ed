import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { readMessages } from '../e2e/read-messages.ts';
import type { SoakServers } from './soak-servers.ts';

/** Said in every run of a soak test; readers of a shared run must never see it. */
export const SECRET = `ghp_${'Zq7'.repeat(12)}`;

interface Seen {
  seq: number;
  text: string;
}

/** Reads a shared run through its link, across server restarts, until the run ends or the link is revoked. */
export class SharedReader {
  readonly #servers: SoakServers;
  readonly #path: string;
  readonly #seen: Seen[] = [];
  readonly id: string;
  revoked = false;
  #over = false;
  /** Descriptions of unexpected events. */
  readonly problems: string[] = [];

  constructor(servers: SoakServers, share: { id: string; url: string }) {
    this.#servers = servers;
    this.id = share.id;
    this.#path = new URL(share.url).pathname;
    void this.#read();
  }

  get eventsSeen(): number {
    return this.#seen.length;
  }

  async #read(): Promise<void> {
    while (!this.#over) {
      try {
        const after = this.#seen.at(-1)?.seq ?? 0;
        const answer = await this.#servers.shared(`${this.#path}/events?after=${after}`);
        if (answer.status === 204 || answer.status === 410) this.#over = true;
        if (answer.status === 404) this.problems.push('a link that was made is unknown');
        if (answer.status === 200) await this.#take(answer);
      } catch {
        // The server is expected to be down at times.
      }
      await delay(100);
    }
  }

  async #take(answer: Response): Promise<void> {
    await readMessages(answer, ({ event, id, data }) => {
      if (event === 'revoked') this.#over = true;
      if (event !== undefined) return;
      const seq = Number(id);
      if (seq <= (this.#seen.at(-1)?.seq ?? 0)) this.problems.push(`event ${seq} came twice or late`);
      this.#seen.push({ seq, text: data });
      // A stream that starts after the end of a run is empty; reconnecting to it would use up the link's request limit.
      if (JSON.parse(data).type === 'run.ended') this.#over = true;
    });
  }

  /** Revokes the link; true once the server has confirmed it. */
  async revoke(): Promise<boolean> {
    const answer = await this.#servers
      .next()
      .request(`/api/shares/${this.id}`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
      })
      .catch(() => undefined);
    if (answer?.ok) this.revoked = true;
    return this.revoked;
  }

  /**
   * Final check: a revoked link stays revoked, any other shows the same events again, and neither ever showed the secret.
   */
  async check(): Promise<void> {
    this.#over = true;
    if (this.#seen.some(({ text }) => text.includes(SECRET))) this.problems.push('a secret was shown');
    const status = (await this.#servers.shared(`${this.#path}/status`)).status;
    if (status !== (this.revoked ? 410 : 204))
      this.problems.push(`the link answers ${status}, ${this.revoked ? 'and was revoked' : 'and is good'}`);
    if (this.revoked) return;
    const again = new Map<number, unknown>();
    const answer = await this.#servers.shared(`${this.#path}/events?after=0`);
    if (answer.status !== 200)
      this.problems.push(`the events of the link are answered with ${answer.status}`);
    await readMessages(answer, ({ event, id, data }) => {
      if (event === undefined) again.set(Number(id), JSON.parse(data));
    });
    for (const { seq, text } of this.#seen) {
      if (!isDeepStrictEqual(again.get(seq), JSON.parse(text)))
        this.problems.push(`shared event ${seq} is not what a teammate saw`);
    }
  }
}
