"""A slow, independent reading of the PerturbReason contract: the test oracle.

It shares no code with the package that it checks and uses only the standard library.  One sample
is read at a time, every set is built afresh, and nothing is shared or cached between samples, so
that each rule can be read off the page next to the contract.

* ``texts``  the answer (strict and lenient) and the triplet block of a model's text
* ``chains`` tier 2 of one sample, the error label, the chain's validity
* ``go``     tier 3 of one sample, without the null distribution
* ``run``    files to rows, and the pooled numbers of the rows

RR-10, likewise:

* ``rr10_labels``    the label of an answer value, in the default and in the compat reading
* ``rr10_citations`` the label value, the citations and the mechanism edges of a row
* ``rr10_evidence``  the verdict on each citation, and tier 2 of one sample
* ``rr10_report``    the report's numbers
"""
