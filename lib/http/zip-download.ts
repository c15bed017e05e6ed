import { Readable } from 'node:stream';
import yazl from 'yazl';
import type { RunSummary } from '../api/run-summary.ts';
import type { StoredRuns } from '../runs/stored-runs.ts';
import { runFile } from '../sharing/exports/run-file.ts';
import { jsonLines } from './json-lines.ts';

/** A zip file that is packed while it is sent. */
export class ZipDownload {
  readonly #zip = new yazl.ZipFile();
  readonly #output = Readable.from(this.#zip.outputStream);

  addText(path: string, text: string, mtime: Date): void {
    this.#zip.addBuffer(Buffer.from(text), path, { mtime });
  }

  /** Adds a file of JSON Lines. Such files are read one at a time, page by page. */
  addLines(path: string, pages: () => AsyncIterable<readonly unknown[]>, mtime: Date): void {
    this.#zip.addReadStreamLazy(path, { mtime }, (done) => {
      const file = Readable.from(jsonLines(pages()));
      // If a run is deleted meanwhile, the download is aborted, so that the file does not look complete.
      file.once('error', (error) => this.#output.destroy(error));
      done(null, file);
    });
  }

  /** Adds the file of a run, with its notes and images. */
  addRun(path: string, run: RunSummary, stored: StoredRuns): void {
    const { id, annotations, created_at } = run;
    const pages = async function* () {
      const images = await stored.imagesForFile(id);
      yield* runFile(id, stored.log(id), { annotations }, images);
    };
    this.addLines(path, pages, new Date(created_at));
  }

  /** Call once, after everything has been added. @param name of the downloaded file */
  response(name: string, signal: AbortSignal): Response {
    this.#zip.end();
    signal.addEventListener('abort', () => this.#output.destroy(), { once: true });
    return new Response(Readable.toWeb(this.#output) as ReadableStream<Uint8Array>, {
      headers: {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
        'content-security-policy': "default-src 'none'; sandbox",
      },
    });
  }
}
