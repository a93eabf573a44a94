import { counted } from '#kernel/counts.ts';
import { localSecond } from '#kernel/local-time.ts';
import { sizeText } from '#kernel/size-words.ts';
import { listBackups, openBackupPlace, streamStanding } from '#platform/backup/index.ts';
import type { Cli } from '../frame/context.ts';

/** `appctl backup list`. */
export async function list(cli: Cli): Promise<void> {
  const { config } = await cli.config();
  const place = await openBackupPlace(config);
  const all = (await listBackups(place)).map(
    ({ file, createdAt, sizeBytes, label, encrypted, sidecar, verified }) => ({
      file,
      createdAt,
      sizeBytes,
      version: sidecar?.version ?? null,
      label,
      verified,
      encrypted,
    }),
  );
  const page = cli.integer('page') ?? 1;
  const limit = cli.integer('limit') ?? 50;
  const items = all.slice((page - 1) * limit, page * limit);
  const pagination = { page, limit, total: all.length, totalPages: Math.ceil(all.length / limit) };
  await cli.out.page(
    { items, pagination },
    [
      { key: 'file' },
      { key: 'createdAt', title: 'created', time: true },
      { key: 'sizeBytes', title: 'size', align: 'right', text: ({ sizeBytes }) => sizeText(sizeBytes) },
      { key: 'version' },
      { key: 'verified', text: ({ verified }) => (verified ? 'yes' : 'no') },
      { key: 'encrypted', text: ({ encrypted }) => (encrypted ? 'yes' : 'no') },
    ],
    `no backup in ${place.display} yet; to make one: appctl backup create`,
  );
  const stream = config.backup.stream ? await streamStanding(config) : null;
  if (stream?.from)
    cli.note(
      `any moment since ${localSecond(new Date(stream.from))} can be restored too: appctl restore --at TIME`,
    );
  if (stream?.files && stream.files.waiting > 0)
    cli.note(
      `${counted(stream.files.waiting, 'file')} not in the stream yet: appctl doctor db.backup-stream`,
    );
  const unverified = all.filter(({ verified }) => !verified).length;
  if (unverified > 0)
    cli.note(`${counted(unverified, 'backup')} not verified: appctl backup verify NAME checks one`);
}
