import { z } from 'zod';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { ListQuery, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';
import { BackupAsked, BackupList, backupView } from './view.ts';

const base = '/api/v1/admin/backups';

export const FileParams = later(() => z.strictObject({ file: text({ min: 1, max: 200 }) }));

/** Loaded by whoever asks: a server that is only used does not need it. */
const staff = () => import('./staff.ts');

/** Backups for the admin API. */
export const backupEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the backups of this installation, newest first',
    description:
      'Reads the folder or bucket of `backup.dir`. `underWay` shows how far the backup is that this server is making.',
    scope: 'system:read',
    limit: null,
    query: later(() => ListQuery.strict()),
    replies: { 200: BackupList },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { query }) {
      const { backups, ...seen } = await (await staff()).backups(ctx);
      const { offset, limit } = sliceOf(query);
      const items = backups.slice(offset, offset + limit).map(backupView);
      return ok({ ...pageOf(query, { items, total: backups.length }), ...seen });
    },
  }),
  endpoint({
    method: 'post',
    path: base,
    summary: 'Start a backup now, as the configuration describes it',
    description:
      'Answers once the job `backup` has started. The list shows its progress, and the job its result.',
    scope: 'system:write',
    limit: null,
    replies: { 202: BackupAsked },
    errors: ['CONFLICT'],
    async handle(ctx) {
      await (await staff()).beginBackup(ctx);
      return { status: 202, body: { started: true } };
    },
  }),
  endpoint({
    method: 'get',
    path: `${base}/{file}/download`,
    summary: 'Download a backup',
    description:
      'The file as it was written: an encrypted backup stays encrypted. Anyone who has an unencrypted backup can read what is in it, except values that the master key protects. Each download is recorded in the audit log.',
    scope: 'system:danger',
    sudo: true,
    limit: null,
    params: FileParams,
    content: {
      type: 'application/octet-stream',
      headers: { 'Content-Disposition': 'The name of the file', ETag: 'SHA-256 of the file in quotes' },
    },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => download(await (await staff()).downloadBackup(ctx, params.file)),
  }),
];
