import { z } from 'zod';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { ListQuery, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';
import { deskOf } from './desk.ts';
import {
  BackupAsked,
  BackupDetails,
  BackupList,
  backupDetails,
  backupView,
  lastRestoreView,
  RestoreAsked,
  RestoreBody,
  VerificationAsked,
} from './view.ts';

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
      'Reads the folder or bucket of `backup.dir`. `underWay` shows how far the backup is that this server is making, and `lastRestore` how the last restore ended.',
    scope: 'system:read',
    limit: null,
    query: later(() => ListQuery.strict()),
    replies: { 200: BackupList },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { query }) {
      const { backups, lastRestore, ...seen } = await (await staff()).backups(ctx);
      const { offset, limit } = sliceOf(query);
      const items = backups.slice(offset, offset + limit).map(backupView);
      const page = pageOf(query, { items, total: backups.length });
      return ok({ ...page, ...seen, lastRestore: lastRestoreView(lastRestore) });
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
    path: `${base}/{file}`,
    summary: 'Get a backup',
    description:
      'What is known of it without reading it. `restoreRefusal` says whether this server can restore it.',
    scope: 'system:read',
    limit: null,
    params: FileParams,
    replies: { 200: BackupDetails },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params }) {
      const { findBackup, restoreRefusal } = await staff();
      const one = await findBackup(ctx, params.file);
      return ok(backupDetails(one, await restoreRefusal(ctx, one)));
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
  endpoint({
    method: 'post',
    path: `${base}/{file}/verify`,
    summary: 'Verify a backup',
    description:
      'Starts a task that unpacks the backup into a scratch place and checks all of it. The task shows its progress and what came of it.',
    scope: 'system:write',
    limit: null,
    params: FileParams,
    replies: { 202: VerificationAsked },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    async handle(ctx, { params }) {
      const { id } = await (await import('./verifying.ts')).beginVerification(ctx, params.file);
      return { status: 202, body: { taskId: id } };
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/{file}/restore`,
    summary: 'Restore a backup',
    description:
      'Replaces the database with the backup. Everything that was written after the backup is taken back, and every session ends; what is there now is backed up first. The server answers, stops, restores and starts again. Then `lastRestore` in the list of backups shows how it ended. Tokens and accounts are those of the backup. If the backup cannot be used, nothing is replaced.',
    scope: 'system:danger',
    sudo: true,
    limit: null,
    params: FileParams,
    body: RestoreBody,
    replies: { 202: RestoreAsked },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    async handle(ctx, { params: { file }, body: { name } }) {
      // Whoever restores says which installation it is, so that nobody restores another one.
      const { serviceName } = deskOf(ctx).config;
      if (name !== serviceName)
        throw invalidField('name', `must be ${serviceName}, the name of this service`);
      await (await staff()).beginRestore(ctx, file);
      return { status: 202, body: { started: true, file } };
    },
  }),
];
