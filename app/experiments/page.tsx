import type { Metadata } from 'next';
import { ExperimentsPage } from '../../components/experiments/experiments-page.tsx';

export const metadata: Metadata = { title: 'Experiments' };

export default function Page() {
  return <ExperimentsPage />;
}
