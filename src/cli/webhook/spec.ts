import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { changeCommands } from './spec-change.ts';
import { deliveryCommands } from './spec-deliveries.ts';
import { listenCommand } from './spec-listen.ts';
import { readCommands } from './spec-read.ts';

const webhookGroup: GroupSpec = {
  path: 'webhook',
  summary: 'send events to other systems',
};

export const groups: readonly GroupSpec[] = [webhookGroup];

export const commands: readonly CommandSpec[] = [
  ...changeCommands,
  ...readCommands,
  ...deliveryCommands,
  listenCommand,
];
