import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { inventoryCommands, inventoryGroup } from './spec-inventory.ts';
import { productCommands, storeProductGroup } from './spec-product.ts';
import { sampleCommands, sampleGroup } from './spec-sample.ts';
import { transferCommands } from './spec-transfer.ts';

const storeGroup: GroupSpec = { path: 'store', summary: 'the shop: products, stock and sample data' };

export const groups: readonly GroupSpec[] = [storeGroup, storeProductGroup, inventoryGroup, sampleGroup];

export const commands: readonly CommandSpec[] = [
  ...productCommands,
  ...transferCommands,
  ...inventoryCommands,
  ...sampleCommands,
];
