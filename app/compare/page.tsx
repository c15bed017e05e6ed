import type { Metadata } from 'next';
import { ComparePage } from '../../components/compare/compare-page.tsx';

export const metadata: Metadata = { title: 'Compare runs' };

export default function Page() {
  return <ComparePage />;
}
