/** Well within the 5 seconds after which a link that was revoked shows nothing any more. */
const ASKED_EVERY_MS = 3000;

/**
 * Asks whether the link that opened a page is still valid.
 *
 * @param url the link, relative to the page
 * @returns `gone`: it was revoked or has expired; `full`: it is valid, but has no room for another live viewer; `good`
 *   also if the server is too busy to answer
 * @throws {TypeError} when the server does not answer
 */
export async function askLink(url: string, signal: AbortSignal): Promise<'good' | 'gone' | 'full'> {
  const { status } = await fetch(`${url}/status`, { signal, credentials: 'omit', cache: 'no-store' });
  if (status === 410 || status === 404) return 'gone';
  return status === 503 ? 'full' : 'good';
}

/**
 * Polls, and immediately when the page becomes visible again: a browser slows down the timers of hidden pages. It uses
 * requests rather than a stream, since a browser opens at most six of those to one host.
 *
 * @param onGone called once, after which polling ends
 * @returns a function that stops it
 */
export function watchLink(url: string, onGone: () => void): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = false;
  const ask = async () => {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    try {
      if ((await askLink(url, signal)) === 'gone' && !signal.aborted) {
        abort.abort();
        onGone();
      }
    } catch {
      // No answer: the network or the server is down. The page stays as it is until the state of the link is known.
    }
    asking = false;
    if (!signal.aborted) timer = setTimeout(() => void ask(), ASKED_EVERY_MS);
  };
  const looked = () => {
    if (document.visibilityState === 'visible') void ask();
  };
  document.addEventListener('visibilitychange', looked, { signal });
  addEventListener('pageshow', looked, { signal });
  signal.addEventListener('abort', () => clearTimeout(timer));
  void ask();
  return () => abort.abort();
}
