import { browserTransport } from './browser-transport.ts';
import type { HubMessage, TabMessage } from './hub-messages.ts';
import { StreamHub } from './stream-hub.ts';

const HUB_LOCK = 'loupe-hub';

/** Messages between tabs. */
type Word =
  | { to: 'hub'; from: string; message: TabMessage }
  | { to: 'tab'; tab: string; message: HubMessage }
  /** A new tab has become the hub: all tabs announce again what they follow, and from which event. */
  | { to: 'all' };

/**
 * One stream for all tabs in browsers without shared workers: the tab that holds a lock is the hub, the others talk to
 * it over a channel, and when it closes, the next tab takes over at the same position.
 *
 * @param options.resume called when there is a new hub, which needs to know what this tab follows
 */
export function joinHubByLock(options: {
  receive: (message: HubMessage) => void;
  resume: () => void;
}): (message: TabMessage) => void {
  const { receive, resume } = options;
  /** This tab's name, and that of the lock it holds while it lives. */
  const own = `loupe-tab-${crypto.randomUUID()}`;
  const channel = new BroadcastChannel('loupe-stream');
  const tabs = new Map<string, ReturnType<StreamHub['join']>>();
  let hub: StreamHub | undefined;
  let mine: ReturnType<StreamHub['join']> | undefined;
  let alive = false;
  const post = (word: Word) => channel.postMessage(word);
  const send = (message: TabMessage) => {
    if (mine) mine.receive(message);
    else post({ to: 'hub', from: own, message });
  };
  /** Announced once the lock is held, and again to a new hub. */
  const announceLock = () => {
    if (alive) send({ type: 'hello', lock: own });
  };
  const resumeHere = () => {
    announceLock();
    resume();
  };

  const serve = (from: string, message: TabMessage) => {
    if (!hub) return;
    const tab = tabs.get(from) ?? hub.join((told) => post({ to: 'tab', tab: from, message: told }));
    tabs.set(from, tab);
    tab.receive(message);
    // A crashed tab sends no message, but it releases its lock, which the hub then gets.
    if (message.type === 'hello') {
      void navigator.locks.request(message.lock, () => {
        tab.leave();
        tabs.delete(from);
      });
    }
  };
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.to === 'hub') serve(data.from, data.message);
    else if (data.to === 'tab' && data.tab === own) receive(data.message);
    else if (data.to === 'all') resumeHere();
  };

  void navigator.locks.request(own, () => {
    alive = true;
    announceLock();
    return new Promise(() => {});
  });
  void navigator.locks.request(HUB_LOCK, () => {
    hub = new StreamHub(browserTransport);
    mine = hub.join(receive);
    post({ to: 'all' });
    resumeHere();
    return new Promise(() => {});
  });
  return send;
}
