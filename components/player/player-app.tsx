'use client';

import { Component, type ReactNode, useMemo } from 'react';
import type { PlayerSource } from '#lib/api/player-source.ts';
import { LivePlayer } from './live-player.tsx';
import { LogPlayer } from './log-player.tsx';
import { PlainMessage } from './plain-message.tsx';
import { StillShared } from './still-shared.tsx';

/** Shows a run from a player source: an embedded log or a stream. */
export function PlayerApp({ text }: { text: string }) {
  const source = useMemo(() => readSource(text), [text]);
  if (!source) {
    return (
      <PlainMessage title="This page contains no run.">
        It may be incomplete. Ask the sender for a new copy.
      </PlainMessage>
    );
  }
  return (
    <Unreadable>
      <StillShared url={source.url}>
        {({ onGone, whole, images }) =>
          source.kind === 'log' ? (
            <LogPlayer source={source} whole={whole} images={images} />
          ) : (
            <LivePlayer source={source} whole={whole} images={images} onGone={onGone} />
          )
        }
      </StillShared>
    </Unreadable>
  );
}

function readSource(text: string): PlayerSource | undefined {
  try {
    const source: PlayerSource = JSON.parse(text);
    if (source.kind === 'live') return source;
    return source.kind === 'log' && source.events.length > 0 ? source : undefined;
  } catch {
    return undefined; // the message shown instead says what to do
  }
}

/** Shown instead of a run with an invalid log: damaged, or edited by hand. */
class Unreadable extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <PlainMessage title="The run in this page cannot be shown.">
        Its log is damaged or from a newer version of Loupe. Ask the sender for a new copy.
      </PlainMessage>
    );
  }
}
