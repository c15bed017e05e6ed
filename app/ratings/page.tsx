import type { Metadata } from 'next';
import { RatingsPage } from '../../components/ratings/ratings-page.tsx';

export const metadata: Metadata = { title: 'Ratings' };

export default function Page() {
  return <RatingsPage />;
}
