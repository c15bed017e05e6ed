import { headers } from 'next/headers';
import { isNewcomer } from '#lib/app/is-newcomer.ts';
import { Home } from '../components/home/home.tsx';

/** `?link=used`: the server came here from a sign-in link that was used before or is too old. */
export default async function Page({
  searchParams,
}: {
  searchParams: Promise<{ link?: string | string[] }>;
}) {
  const { link } = await searchParams;
  const newcomer = await isNewcomer((await headers()).get('cookie') ?? undefined);
  return <Home spentLink={link === 'used'} newcomer={newcomer} />;
}
