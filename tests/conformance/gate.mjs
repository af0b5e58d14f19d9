// The promise of docs/graphql.md on changes, held against the last release.
import { spawnSync } from 'node:child_process';

import { BreakingChangeType, findBreakingChanges } from 'graphql';

/**
 * What breaks clients of `released` and may not. A field may go that a release had deprecated, if the changelog names it; all
 * else that was there stays as it was.
 */
export function broken(released, now, changelog) {
    const mayGo = ({ type, description }) => {
        const [, owner, name] = /^(\w+)\.(\w+) was removed/.exec(description) ?? [];
        if (type !== BreakingChangeType.FIELD_REMOVED || !name) return false;
        const field = released.getType(owner).getFields()[name];
        return field.deprecationReason != null && changelog.includes(`\`${owner}.${name}\``);
    };
    return findBreakingChanges(released, now).filter((it) => !mayGo(it)).map((it) => it.description);
}

/** The text of the schema as it was last released before this commit, and under which tag; null where nothing was. */
export function released(checkout) {
    const git = (...words) => {
        const { status, stdout } = spawnSync('git', ['-C', checkout, ...words], { encoding: 'utf8' });
        return status === 0 ? stdout : null;
    };
    const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^')?.trim();
    return tag ? { tag, text: git('show', `${tag}:schema.graphql`) } : null;
}
