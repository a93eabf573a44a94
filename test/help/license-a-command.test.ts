import { nodes } from '../packaging/nodes.ts';
import { prepared, testPage } from './run-page.ts';

testPage('license-a-command', { serve: [], after: prepared, nodes });
