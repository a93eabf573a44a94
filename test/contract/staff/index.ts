// A sample of every resource: what the tests of all resources walk.
import type { ResourceSample } from '../../support/resource-sample.ts';
import { keyFormatSample } from './key-formats.ts';
import { policySample } from './policies.ts';
import { productSample } from './products.ts';

export const samples: readonly ResourceSample[] = [keyFormatSample, policySample, productSample];
