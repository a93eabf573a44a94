import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { changeCommands } from './spec-change.ts';
import { deliveryCommands } from './spec-deliveries.ts';
import { listenCommand } from './spec-listen.ts';
import { readCommands } from './spec-read.ts';

export const webhookGroup: GroupSpec = {
  path: 'webhook',
  summary: 'receivers of events',
};

export const webhookCommands: readonly CommandSpec[] = [
  ...changeCommands,
  ...readCommands,
  ...deliveryCommands,
  listenCommand,
];
