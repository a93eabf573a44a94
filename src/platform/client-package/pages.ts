import { z } from 'zod';
import { bytesContent } from '#kernel/http/content.ts';
import { text } from '#kernel/http/fields.ts';
import { type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { type ClientArchive, clientArchive } from './archive.ts';

const CURRENT = 'appctl-client.tgz';
const nameOf = ({ version }: Pick<ClientArchive, 'version'>): string => `appctl-client-${version}.tgz`;

/** How an application gets the client. */
const installPage = page({
  path: '/client',
  title: 'Client for applications',
  audience: 'public',
  show: async () => show('platform/client', described(await clientArchive())),
});

/** The archive: the one of now under a name that stays, and each under its own, which means the same bytes for ever. */
const archivePage = page({
  path: '/client/{name}',
  title: 'Client for applications',
  audience: 'public',
  params: z.object({ name: text({ min: 1, max: 100 }) }),
  show: async (_ctx, { params: { name } }) => {
    const archive = await clientArchive();
    const isVersion = name === nameOf(archive);
    if (!isVersion && name !== CURRENT)
      return show('platform/client', { ...described(archive), missing: name }, { status: 404 });
    return {
      stream: bytesContent('application/gzip', archive.bytes, {
        etag: `"${archive.integrity}"`,
        headers: {
          'Cache-Control': isVersion ? 'public, max-age=31536000, immutable' : 'public, no-cache',
          'Content-Disposition': `attachment; filename="${nameOf(archive)}"`,
        },
      }),
      orElse: async (error): Promise<Shown> => {
        throw error;
      },
    };
  },
});

const described = ({ version, bytes, integrity }: ClientArchive) => ({
  version,
  file: nameOf({ version }),
  kilobytes: Math.ceil(bytes.length / 1000),
  integrity,
  missing: null,
});

export const clientPages: readonly Page[] = [installPage, archivePage];
