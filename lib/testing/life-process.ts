import { type ChildProcess, spawn } from 'node:child_process';

/** Environment variables, of the process or of one life in it. */
type LifeEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * A process that runs a bundled script, which lives once for each message and sends back what came of it as JSON. For
 * tests that kill the program and start it again: a life that is to be killed gets its own process. Those that follow
 * may share one, because all that a life knows of earlier ones is on disk, and starting the process takes most of the
 * CPU time.
 */
export class LifeProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  /**
   * @param program the path that `bundleProgram` returned
   * @param env in addition to PATH and HOME, which it gets from this process
   */
  constructor(program: string, env: LifeEnvironment, stderr: 'inherit' | 'ignore' = 'inherit') {
    this.#child = spawn(process.execPath, [program], {
      env: { NODE_ENV: 'test', PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'ignore', stderr, 'ipc'],
    });
    this.#ended = new Promise((done) => {
      this.#child.once('exit', (code, signal) => done({ code, signal }));
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /**
   * Runs one life.
   *
   * @returns the result of the life as JSON; `undefined` if it was killed
   * @throws if the process ends in any other way
   */
  async live(env: LifeEnvironment): Promise<string | undefined> {
    const answered = new Promise<string>((done) => {
      this.#child.once('message', (text) => done(String(text)));
    });
    const killed = this.#ended.then(({ code, signal }) => {
      if (signal !== 'SIGKILL') throw new Error(`The process ended with code ${code}, signal ${signal}.`);
      return undefined;
    });
    this.#child.send(env);
    return Promise.race([answered, killed]);
  }

  /** Lets the process end by itself, if it is still there. @throws if it ends with an error */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const { code, signal } = await this.#ended;
    if (code !== 0 && signal !== 'SIGKILL') {
      throw new Error(`The process ended with code ${code}, signal ${signal}.`);
    }
  }
}
