'use client';

import { Bell, BellOff, BellRing } from 'lucide-react';
import { useEffect, useState } from 'react';
import { remember, remembered } from '#lib/browser/prefs/remembered.ts';
import { say } from '#lib/browser/say.ts';
import { offerCommands } from '#lib/browser/state/commands.ts';
import { type News, NewsWatch } from '#lib/browser/state/run-news.ts';
import { watchRuns } from '#lib/browser/stream/hub-client.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';

/** How long a tab waits for other tabs to report that they are visible. */
const ANSWER_MS = 120;

type State = 'off' | 'on' | 'denied' | 'missing';

const words: Record<State, { label: string; said: string }> = {
  off: { label: 'Notify me when a run ends or waits for me', said: 'Notifications are off.' },
  on: {
    label: 'Notifications are on. Switch them off',
    said: 'You will be notified while no Loupe page is visible.',
  },
  denied: {
    label: 'Notifications are blocked by the browser',
    said: 'The browser blocks notifications of this page. Allow them in its site settings, then try again.',
  },
  missing: {
    label: 'This browser has no notifications',
    said: "This browser has no notifications here. The tab's title and icon show the state.",
  },
};

/** Requests notification permission on click and announces the result. */
export function NotifyToggle() {
  const [state, setState] = useState<State>('off');
  useEffect(() => setState(presentState()), []);
  const [watching, setWatching] = useState(false);
  useEffect(() => {
    setWatching(false);
    return state === 'on' ? watchForNews(() => setWatching(true)) : undefined;
  }, [state]);
  const toggle = async () => {
    const next = await nextState(state);
    if (next === 'on' || next === 'off') remember('notify', next);
    setState(next);
    say(words[next].said);
  };
  useEffect(() =>
    offerCommands([{ id: 'notify', group: 'View', label: words[state].label, run: () => void toggle() }]),
  );
  const Icon = state === 'on' ? BellRing : state === 'off' ? Bell : BellOff;
  return (
    <button
      type="button"
      onClick={() => void toggle()}
      aria-label={words[state].label}
      aria-pressed={state === 'on'}
      aria-busy={state === 'on' && !watching}
      title={words[state].label}
      className="grid size-8 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink aria-pressed:text-brass max-sm:hidden"
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  );
}

function presentState(): State {
  if (typeof Notification === 'undefined') return 'missing';
  if (remembered('notify') !== 'on') return 'off';
  return Notification.permission === 'granted' ? 'on' : 'denied';
}

async function nextState(state: State): Promise<State> {
  if (state === 'on') return 'off';
  if (typeof Notification === 'undefined') return 'missing';
  const permission =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  if (permission === 'granted') return 'on';
  // Closed without an answer: it can be asked again.
  return permission === 'denied' ? 'denied' : 'off';
}

/**
 * Sends notifications for all runs while no Loupe tab is visible. Returns a function that stops it.
 *
 * @param onReady called with the first list: from then on, a change is noticed
 */
function watchForNews(onReady: () => void): () => void {
  const watch = new NewsWatch();
  const tabs = new BroadcastChannel('loupe-looking');
  let looking = false;
  tabs.onmessage = ({ data }) => {
    if (data === 'who?' && document.visibilityState === 'visible') tabs.postMessage('me');
    if (data === 'me') looking = true;
  };
  const tell = (news: News) => {
    looking = false;
    tabs.postMessage('who?');
    setTimeout(() => {
      if (!looking && document.visibilityState === 'hidden') show(news);
    }, ANSWER_MS);
  };
  const stop = watchRuns({
    runs: (runs) => {
      for (const run of runs) {
        const news = watch.take(run);
        if (news && document.visibilityState === 'hidden') tell(news);
      }
      onReady();
    },
    signal: () => {},
  });
  return () => {
    stop();
    tabs.close();
  };
}

function show({ runId, tag, title, body }: News): void {
  const notification = new Notification(title, { tag, body: shortLine(body, 200), icon: '/icon.svg' });
  notification.onclick = () => {
    window.focus();
    location.assign(`/runs/${encodeURIComponent(runId)}`);
    notification.close();
  };
}
