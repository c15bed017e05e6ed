import { formatDuration } from '#lib/browser/words/format.ts';
import type { EventOf } from '#lib/events/registry.ts';
import type { Opinion } from '#lib/events/verification.ts';
import { Badge } from '../../ui/badge.tsx';
import { ShortName } from '../../ui/foreign-name.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
