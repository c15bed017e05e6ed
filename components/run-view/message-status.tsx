import { Badge } from '../ui/badge.tsx';

const words = {
  queued: { label: 'queued', title: 'Waiting for the next step of the run', tone: 'live' },
  delivered: { label: 'delivered', title: 'Part of the conversation', tone: 'ok' },
  returned: { label: 'returned', title: 'The run ended before it was read', tone: 'warn' },
} as const;

/** The status of a message to the run; messages are never lost. */
export function MessageStatus({ status }: { status: keyof typeof words }) {
  const { label, title, tone } = words[status];
  return (
    <Badge tone={tone} title={title}>
      {label}
    </Badge>
  );
}
