import type { Metadata } from 'next';
import { HealthPage } from '../../components/health/health-page.tsx';

export const metadata: Metadata = { title: 'Health' };

export default function Page() {
  return <HealthPage />;
}
