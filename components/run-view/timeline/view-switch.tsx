'use client';

import { ListTree, MessagesSquare } from 'lucide-react';
import { Segments } from '../../ui/segments.tsx';

export type RunView = 'chat' | 'timeline';

const VIEWS = [
  { id: 'chat', label: 'Chat', icon: <MessagesSquare /> },
  { id: 'timeline', label: 'Timeline', icon: <ListTree /> },
] as const;

/** Chooses between the chat and the timeline of a conversation. */
export function ViewSwitch({ view, onChange }: { view: RunView; onChange: (view: RunView) => void }) {
  return <Segments legend="View" segments={VIEWS} chosen={view} onChoose={onChange} />;
}
