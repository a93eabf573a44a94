import { testPage } from './run-page.ts';

testPage('roll-out-a-release');
