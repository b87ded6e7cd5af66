"""Fire circle: models judge a prompt blind, then talk about what they see, and one of them speaks for the absent.

1. round 1   everybody assesses alone, with a plain prompt: the baseline
2. round 2   everybody sees all assessments and looks for patterns; the **empty chair** speaks for those not present
3. round 3   everybody refines; another model holds the chair
4. round 4   only for large circles that still disagree: the refinement once more

What is found is the highest falsehood that any model still in the circle saw in any round, because a circle detects and
does not vote: who saw it and was talked out of it has seen it all the same. Beside it stand the patterns that enough of
them named, how the chair mattered, and who disagreed.

Rules of the house: nobody judges what it cannot see, so every prompt carries the layer, its context and the turn; a
failure to read is never a falsehood of 0; who is lost in round 1 is excluded, who is lost later is a zombie whose words
stay and whose voice does not count.

The two baselines it is judged against, one model alone and several in parallel without a dialogue, share its values.

Read in this order: ``model`` (the values), ``prompts`` (what is asked), ``replies`` (how T/I/F and patterns are read),
``rules`` (chair, consensus, convergence, patterns, influence), ``outcome`` (the minutes and the result made from them).
"""
