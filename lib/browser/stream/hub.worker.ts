import { receiveKey } from '../sign-in-key.ts';
import { browserTransport } from './browser-transport.ts';
import type { TabMessage } from './hub-messages.ts';
import { StreamHub } from './stream-hub.ts';

/** The shared worker: lives as long as any tab of this browser, and holds the one stream for all of them. */
const hub = new StreamHub(browserTransport);

/** The part of the shared worker's global scope used here: its types conflict with those of a page. */
interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

(globalThis as unknown as SharedScope).onconnect = (event) => {
  const [port] = event.ports;
  if (!port) return;
  const tab = hub.join((message) => port.postMessage(message));
  port.onmessage = (message: MessageEvent<TabMessage>) => {
    if (message.data.type === 'key') receiveKey(message.data.key);
    tab.receive(message.data);
    // A crashed tab sends no message, but it releases its lock, which the hub then gets.
    if (message.data.type === 'hello') {
      void navigator.locks?.request(message.data.lock, () => {
        tab.leave();
        port.close();
      });
    }
  };
};
