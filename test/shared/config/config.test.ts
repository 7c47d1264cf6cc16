// The schema of the configuration is compiled by each start without a look at the schema itself: that look is here.
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { readConfig } from '../../../src/shared/config/config.ts';
import { ConfigSchema } from '../../../src/shared/config/schema.ts';

describe('configuration', () => {
  it('has a schema without a mistake in it, whose defaults are what an empty environment gives', () => {
    const values = {};
    const validate = new Ajv({ useDefaults: true }).compile(ConfigSchema);
    expect(validate(values), JSON.stringify(validate.errors)).to.equal(true);
    expect(readConfig({})).to.include(values);
  });

  it('names every bad variable in one error, with what is wrong and what it is for', () => {
    const read = () => readConfig({ SHARDS: 'many', LOG_LEVEL: 'loud', PORT: '70000', LEASE_TTL_MS: '5000' });
    expect(read).to.throw(/^PORT must be <= 65535: .+$/m);
    expect(read).to.throw(/^SHARDS must be integer: .+$/m);
    expect(read).to.throw(/^LOG_LEVEL must be one of .*info.*: .+$/m);
    expect(read).not.to.throw(/LEASE_TTL_MS/);
  });
});
